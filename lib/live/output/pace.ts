import { now } from '../../support/now.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';

/** The shortest time between two reads of one command (ms): a flood must not keep Node.js busy. */
const PACE_MS = 10;

/** Calls a function soon after a request, at most once per {@link PACE_MS}. */
class Pace {
  #act: () => void;
  #latest = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(act: () => void) {
    this.#act = act;
  }

  request(): void {
    if (this.#timer !== undefined) return;
    const wait = this.#latest + PACE_MS - now();
    if (wait <= 0) this.#call();
    else this.#timer = setTimeout(() => this.#call(), wait).unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #call(): void {
    this.#timer = undefined;
    this.#latest = now();
    this.#act();
  }
}

export { Pace };
