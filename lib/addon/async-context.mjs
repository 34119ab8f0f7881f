// The asynchronous context (`AsyncLocalStorage`) in which callbacks run. `node:async_hooks` takes 0.1 ms to load, so only
// those load it who need it.

/**
 * Captures the current asynchronous context. `runInAsyncScope()` of what is returned calls a function in it.
 */
function captureContext() {
  const { AsyncResource } = require('node:async_hooks');
  return new AsyncResource('AGENT_BASH_JOB');
}

/**
 * Returns `callback`, bound to the current asynchronous context.
 *
 * `AsyncResource.bind()` does the same in several times as long, as it gives the function properties of its own.
 */
function bindContext(callback) {
  const context = captureContext();
  return (...args) => context.runInAsyncScope(callback, undefined, ...args);
}

/**
 * Calls `act` in an asynchronous context without the stores of the current one.
 *
 * Node has no function for that. A resource keeps the stores of its context as properties with symbols: those of each
 * `AsyncLocalStorage` (Node 20 and 22), or one frame with all of them (from Node 24 on). Its identifiers stay.
 */
function withoutStores(act) {
  const { AsyncResource } = require('node:async_hooks');
  const resource = new AsyncResource('AGENT_BASH');
  for (const key of Object.getOwnPropertySymbols(resource)) {
    if (!key.description?.endsWith('async_id_symbol')) resource[key] = undefined;
  }
  resource.runInAsyncScope(act);
}

export { bindContext, captureContext, withoutStores };
