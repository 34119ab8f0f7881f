// One host for each Node environment: the main thread and each worker load this module for themselves.

import { withoutStores } from './async-context.mjs';
import { Host } from './native.mjs';

/** id -> the function that hears what this job says. */
const listeners = new Map();
let nextId = 1;

/** How many jobs keep Node alive, and whether the addon's host does so for them. */
let refs = 0;
let isRef = false;

let host;

/** The addon's host. It starts with the first command, so that importing the package costs next to nothing. */
function theHost() {
  if (host === undefined) {
    host = new Host();
    startLog();
    // The addon hears of every other end of the environment, but not of `process.exit` on the main thread.
    process.on('exit', () => host.close());
    // In a microtask, while the first command is being started: it costs the first caller nothing then.
    settled.then(attach);
  }
  return host;
}

/** Logs what the engine does to standard error, if `AGENT_BASH_LOG` names a level: for bug reports. */
function startLog() {
  const level = process.env.AGENT_BASH_LOG;
  if (level && !host.log(level)) {
    process.emitWarning(
      `AGENT_BASH_LOG: there is no level '${level}'; there are error, warn, info, debug, trace and off`,
    );
  }
}

/**
 * Connects {@link deliver} to the addon.
 *
 * This is done in a context without stores because the addon's function lives as long as Node and keeps the context in which
 * it is made: the `AsyncLocalStorage` stores of the first caller would never be freed.
 */
function attach() {
  withoutStores(() => host.attach(deliver));
  if (isRef) host.keepAlive(true);
}

/** Registers a job and returns its id. `listener(event)` hears all it says; the last kind is `answer` or `end`. */
function register(listener) {
  const id = nextId++;
  listeners.set(id, listener);
  return id;
}

/** The job is over. */
function unregister(id) {
  listeners.delete(id);
}

function deliver(events, isMore) {
  // First of all, so that nothing below can lose the rest. The next turn lets timers and sockets in between.
  if (isMore) setImmediate(takeMore);
  for (const event of events) listeners.get(event.id)?.(event);
}

function takeMore() {
  deliver(...host.take());
}

/** One more job keeps Node alive. */
function ref() {
  refs++;
  if (isRef) return;
  isRef = true;
  theHost().keepAlive(true);
}

/** One job less keeps Node alive. */
function unref() {
  // Whoever waited for the job may start another one: they have their turn first.
  if (--refs === 0) settled.then(() => settled.then(unrefAddon));
}

/** For what is to come after the microtasks that are due: less to do than `queueMicrotask`. */
const settled = Promise.resolve();

function unrefAddon() {
  if (refs > 0 || !isRef) return;
  isRef = false;
  host.keepAlive(false);
}

export { ref, register, theHost, unref, unregister };
