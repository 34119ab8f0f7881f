import type { EventEmitter } from 'node:events';

/**
 * Calls the listeners of an event, as `EventEmitter.prototype.emit` does, and returns whether there are any.
 *
 * Unlike with `emit`, the other listeners run even if one throws: its error becomes an uncaught exception.
 * One call of the addon delivers the events of many jobs, so a listener of one job could otherwise lose the
 * output of another.
 */
function callListeners(
  emitter: EventEmitter,
  name: string,
  args: unknown[],
  capturesRejections: boolean,
): boolean {
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

/** Handles the promise of a listener as Node.js does with `captureRejections`. */
function captureRejection(answer: unknown, emitter: EventEmitter, name: string, args: unknown[]): void {
  const then = (answer as PromiseLike<unknown> | null | undefined)?.then;
  if (typeof then !== 'function') return;
  const reject = (error: unknown) => process.nextTick(handleRejection, error, emitter, name, args);
  Reflect.apply(then, answer, [undefined, reject]);
}

function handleRejection(error: unknown, emitter: EventEmitter, name: string, args: unknown[]): void {
  const handle: unknown = Reflect.get(emitter, Symbol.for('nodejs.rejection'));
  if (typeof handle === 'function') Reflect.apply(handle, emitter, [error, name, ...args]);
  else emitter.emit('error', error);
}

/** Throws an error in a later turn, as an uncaught exception. */
function throwLater(error: unknown): void {
  process.nextTick(() => {
    throw error;
  });
}

export { callListeners, throwLater };
