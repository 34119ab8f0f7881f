/**
 * The seed of the random cases: the same in each run, so that a change fails by its own fault.
 * `DIFFERENTIAL_SEED` sets another.
 */
export const seed = Number(process.env.DIFFERENTIAL_SEED ?? 1) >>> 0;

/** The instruction to repeat a failure. */
export const repeat = `repeat with DIFFERENTIAL_SEED=${seed}`;

/** A small generator of random numbers that gives the same ones for the same seed. */
export class Random {
  #state: number;

  /** Each case has a generator of its own, so that it does not depend on the ones before. */
  constructor(index: number) {
    this.#state = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
  }

  /** Mulberry32: a number from 0 up to, without, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(from: readonly T[]): T {
    return from[this.between(0, from.length - 1)];
  }
}
