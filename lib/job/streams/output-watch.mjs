import { theHost } from '../../addon/host.mjs';
import { now } from '../../support/now.mjs';

/** The shortest time between two calls of the listeners (ms), so that a flood of output does not keep Node busy. */
const PAUSE_MS = 5;

/** Calls listeners when a job has said something, as long as there are any. They look for themselves at what it was. */
class OutputWatch {
  #number;
  #listeners = new Set();
  #isArmed = false;
  #lastCall = 0;
  #timer;

  constructor(number) {
    this.#number = number;
  }

  /** Adds a listener. Returns a function that takes it back. */
  add(listener) {
    this.#listeners.add(listener);
    this.#arm();
    return () => this.#listeners.delete(listener);
  }

  /** The addon has read something. */
  changed() {
    this.#isArmed = false;
    const wait = this.#lastCall + PAUSE_MS - now();
    if (wait <= 0) this.call();
    else this.#timer ??= setTimeout(() => this.call(), wait);
  }

  /** Calls the listeners now. */
  call() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lastCall = now();
    // First, so that nothing is missed that comes while they look.
    this.#arm();
    for (const listener of [...this.#listeners]) listener();
  }

  #arm() {
    if (this.#isArmed || this.#listeners.size === 0) return;
    this.#isArmed = true;
    theHost().watch(this.#number);
  }
}

export { OutputWatch };
