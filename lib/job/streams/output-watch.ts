import { theBinding } from '../../addon/binding.ts';
import { now } from '../../support/now.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';

/**
 * The shortest time between two calls of the listeners (ms): a flood of output must not keep Node.js busy.
 */
const PAUSE_MS = 5;

/** Calls listeners after new output of a job. The listeners read the output themselves. */
class OutputWatch {
  #number: number;
  #listeners = new Set<() => void>();
  #isArmed = false;
  #lastCall = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(number: number) {
    this.#number = number;
  }

  /** Adds a listener. Returns a function that removes it. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#arm();
    return () => this.#listeners.delete(listener);
  }

  /** Asks the addon again, which did not know the job before its start. */
  restart(): void {
    this.#isArmed = false;
    this.#arm();
  }

  /** Handles the addon's event that it has read output. */
  changed(): void {
    this.#isArmed = false;
    const wait = this.#lastCall + PAUSE_MS - now();
    if (wait <= 0) this.call();
    else this.#timer ??= setTimeout(() => this.call(), wait);
  }

  /** Calls the listeners now. */
  call(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lastCall = now();
    // The addon is armed first, so that output during the calls is not missed.
    this.#arm();
    for (const listener of [...this.#listeners]) listener();
  }

  #arm(): void {
    if (this.#isArmed || this.#listeners.size === 0) return;
    this.#isArmed = true;
    theBinding().watch(this.#number);
  }
}

export { OutputWatch };
