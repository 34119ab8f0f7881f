// The asynchronous context (`AsyncLocalStorage`) in which callbacks run. `node:async_hooks` takes 0.1 ms to
// load, so the first job that needs it loads it.

import type { AsyncResource as Resource } from 'node:async_hooks';

let AsyncResource: typeof Resource | undefined;

/**
 * Returns the class, and loads it once: each `require()` takes as long as a job needs for all its objects.
 */
function resourceClass(): typeof Resource {
  AsyncResource ??= require('node:async_hooks').AsyncResource as typeof Resource;
  return AsyncResource;
}

/**
 * Captures the current asynchronous context: `runInAsyncScope()` of the returned resource calls a function in
 * it.
 */
function captureContext(): Resource {
  return new (resourceClass())('AGENT_BASH_JOB');
}

/**
 * Returns `callback`, bound to the current asynchronous context.
 *
 * `AsyncResource.bind()` does the same in several times as much time, because it defines properties on the
 * function.
 */
function bindContext<Given extends unknown[], Answer>(
  callback: (...given: Given) => Answer,
): (...given: Given) => Answer {
  const context = captureContext();
  return (...args) => context.runInAsyncScope(callback, undefined, ...args);
}

/**
 * Calls `act` in an asynchronous context without the stores of the current one.
 *
 * Node.js has no function for this. A resource keeps the stores of its context in properties with symbol
 * keys: one for each `AsyncLocalStorage` (Node.js 20 and 22), or one frame with all stores (from 24 on). The
 * loop clears these and keeps the two properties with asynchronous ids.
 */
function withoutStores(act: () => void): void {
  const resource = new (resourceClass())('AGENT_BASH');
  for (const key of Object.getOwnPropertySymbols(resource)) {
    if (!key.description?.endsWith('async_id_symbol')) Reflect.set(resource, key, undefined);
  }
  resource.runInAsyncScope(act);
}

export { bindContext, captureContext, withoutStores };
