import type { AsyncResource } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { captureContext } from '../../addon/async-context.ts';

/** The scope of a job's listeners from its construction on, as for those of a child process in Node.js. */
class EventScope {
  /**
   * The asynchronous context of the caller that made the job; `null` without listeners, and after the end.
   */
  #context: AsyncResource | null;
  #capturesRejections = EventEmitter.captureRejections;

  /** @param isExposed whether users get the job, and so may add listeners */
  constructor(isExposed: boolean) {
    this.#context = isExposed ? captureContext() : null;
  }

  /** Calls `act` in the asynchronous context of the job. */
  run(act: () => void): void {
    if (this.#context === null) act();
    else this.#context.runInAsyncScope(act);
  }

  /** Emits an event in the context of the job. `emit()` may be overridden, and throw. */
  emit(emitter: EventEmitter, name: string, ...args: unknown[]): void {
    try {
      this.run(() => emitter.emit(name, ...args));
    } catch (error) {
      throwLater(error);
    }
  }

  /**
   * Calls the listeners of an event, as `EventEmitter.prototype.emit` does, and returns whether there are
   * any.
   *
   * Unlike with `emit`, the other listeners run even if one throws: its error becomes an uncaught exception.
   * One call of the addon delivers the events of many jobs, so a listener of one job could otherwise lose the
   * output of another.
   */
  callListeners(emitter: EventEmitter, name: string, args: unknown[]): boolean {
    const listeners = emitter.rawListeners(name);
    for (const listener of listeners) {
      try {
        const answer = Reflect.apply(listener, emitter, args);
        if (this.#capturesRejections) captureRejection(answer, emitter, name, args);
      } catch (error) {
        throwLater(error);
      }
    }
    return listeners.length > 0;
  }

  /**
   * Drops the context. A table keeps finished jobs, and the stores of their contexts need not live as long.
   */
  release(): void {
    this.#context = null;
  }
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

export { EventScope, throwLater };
