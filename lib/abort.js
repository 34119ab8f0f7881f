'use strict';

/** signal -> what to call when it fires. One listener serves all jobs of a signal: Node warns of many. */
const callbacks = new WeakMap();

/** Calls `callback` when the signal fires. Returns a function that takes this back. */
function onAbort(signal, callback) {
  let waiting = callbacks.get(signal);
  if (waiting === undefined) {
    waiting = new Set();
    callbacks.set(signal, waiting);
  }
  const listener = listeners.get(signal) ?? (() => fire(signal));
  if (waiting.size === 0) {
    listeners.set(signal, listener);
    signal.addEventListener('abort', listener, { once: true });
  }
  waiting.add(callback);
  return () => {
    if (waiting.delete(callback) && waiting.size === 0) signal.removeEventListener('abort', listener);
  };
}

const listeners = new WeakMap();

function fire(signal) {
  const waiting = callbacks.get(signal);
  for (const callback of [...waiting]) callback();
}

module.exports = { onAbort };
