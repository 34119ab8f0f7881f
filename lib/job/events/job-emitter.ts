import { EventEmitter } from 'node:events';
import type { EventScope } from './event-scope.ts';

type Listener = (...given: unknown[]) => void;

/** The events of a job. Listeners of output and of the end are called in the scope of the job. */
class JobEmitter extends EventEmitter {
  #scope: EventScope;
  #added: (name: string) => void;

  /** @param added is called with the name of the event for which a listener was added */
  constructor(scope: EventScope, added: (name: string) => void) {
    super();
    this.#scope = scope;
    this.#added = added;
  }

  override on(name: string, listener: Listener): this {
    super.on(name, listener);
    this.#added(name);
    return this;
  }

  override addListener(name: string, listener: Listener): this {
    return this.on(name, listener);
  }

  override prependListener(name: string, listener: Listener): this {
    super.prependListener(name, listener);
    this.#added(name);
    return this;
  }

  override emit(name: string, ...args: unknown[]): boolean {
    if (name !== 'data' && name !== 'exit') return super.emit(name, ...args);
    return this.#scope.callListeners(this, name, args);
  }
}

export { JobEmitter };
