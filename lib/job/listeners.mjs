/**
 * Calls the listeners of an event, as `EventEmitter.prototype.emit` does, and gives whether there are any.
 *
 * A listener that throws keeps nothing from the others, here: its error becomes an uncaught exception. Otherwise a
 * listener of one job could lose the output of another, since one call of the addon brings the events of many.
 */
function callListeners(emitter, name, args, capturesRejections) {
  const listeners = emitter.rawListeners(name);
  for (const listener of listeners) {
    try {
      const answer = Reflect.apply(listener, emitter, args);
      if (capturesRejections) captureRejection(answer, emitter, name, args);
    } catch (error) {
      throwLater(error);
    }
  }
  return listeners.length > 0;
}

/** What Node does with the answer of a listener where `captureRejections` is on. */
function captureRejection(answer, emitter, name, args) {
  const then = answer?.then;
  if (typeof then !== 'function') return;
  const reject = (error) => process.nextTick(handleRejection, error, emitter, name, args);
  Reflect.apply(then, answer, [undefined, reject]);
}

function handleRejection(error, emitter, name, args) {
  const handle = emitter[Symbol.for('nodejs.rejection')];
  if (typeof handle === 'function') Reflect.apply(handle, emitter, [error, name, ...args]);
  else emitter.emit('error', error);
}

/** Throws an error where nothing of ours is interrupted. */
function throwLater(error) {
  process.nextTick(() => {
    throw error;
  });
}

export { callListeners, throwLater };
