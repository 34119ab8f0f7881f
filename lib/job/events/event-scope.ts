import type { AsyncResource } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { captureContext } from '../../addon/async-context.ts';
import { callListeners, throwLater } from './listeners.ts';

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

  /** Calls the listeners of an event, and returns whether there are any. */
  callListeners(emitter: EventEmitter, name: string, args: unknown[]): boolean {
    return callListeners(emitter, name, args, this.#capturesRejections);
  }

  /**
   * Drops the context. A table keeps finished jobs, and the stores of their contexts need not live as long.
   */
  release(): void {
    this.#context = null;
  }
}

export { EventScope };
