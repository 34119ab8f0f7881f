import { clearTimeout, setTimeout } from '../support/timers.ts';

/** The time without another byte after which an Escape is a key, and not the start of a sequence (ms). */
const ESCAPE_MS = 50;

const ESCAPE = 0x1b;
/** The byte of Ctrl-]. */
const DETACH = 0x1d;

/** The actions of typed bytes. */
export interface KeyActions {
  /** Returns whether Escape alone has a meaning of its own now. */
  takesEscape: () => boolean;
  /** Whether Ctrl-] has one. */
  takesDetach: boolean;
  send: (bytes: Uint8Array) => void;
  escape: () => void;
  detach: () => void;
}

/**
 * Finds the keys with a meaning of their own among the bytes that a person types, and passes on all others.
 */
class TypedKeys {
  #actions: KeyActions;
  /** Runs while an Escape is held back, of which it is not known yet whether it is a key. */
  #held: NodeJS.Timeout | undefined;

  constructor(actions: KeyActions) {
    this.#actions = actions;
  }

  push(typed: Uint8Array): void {
    let bytes = typed;
    if (this.#held !== undefined) {
      this.stop();
      bytes = Buffer.concat([Buffer.of(ESCAPE), typed]);
    }
    const end = this.#actions.takesDetach ? bytes.indexOf(DETACH) : -1;
    if (end !== -1) {
      this.#send(bytes.subarray(0, end));
      this.#actions.detach();
      return;
    }
    if (bytes.at(-1) !== ESCAPE || !this.#actions.takesEscape()) {
      this.#send(bytes);
      return;
    }
    this.#send(bytes.subarray(0, -1));
    this.#held = setTimeout(() => {
      this.#held = undefined;
      // The program may have changed to the alternate screen meanwhile, where the key is its own.
      if (this.#actions.takesEscape()) this.#actions.escape();
      else this.#send(Buffer.of(ESCAPE));
    }, ESCAPE_MS);
  }

  /** Forgets an Escape that is held back. */
  stop(): void {
    clearTimeout(this.#held);
    this.#held = undefined;
  }

  #send(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#actions.send(bytes);
  }
}

export { TypedKeys };
