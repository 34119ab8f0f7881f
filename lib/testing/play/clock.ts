// The clocks of a test: virtual time, in which nothing waits, or the global timers, which may be fake.

import type { CancelableTimer, Timers } from '../../addon/seam.ts';
import { realNow } from '../../support/now.ts';
import { realTimers } from '../../support/timers.ts';

/** A clock for the events of replayed commands, and for this package's own timers beside them. */
export interface Clock extends Timers {
  /** Calls `act` when `delay` (ms) has passed. Unlike a timer of the package, it counts as an event. */
  after(delay: number, act: () => void): CancelableTimer;
  /** Notes a call across the seam: the test acts, so the time stands still for a turn of the event loop. */
  touch(): void;
  /** Notes that a command runs, or that it is over. */
  count(change: 1 | -1): void;
}

/** An event or a timer that is due at a time (ms). */
class Due implements CancelableTimer {
  time: number;
  isEvent: boolean;
  /** Whether the timer keeps Node.js alive: only such a timer makes the clock jump. */
  isRef = true;
  real: NodeJS.Timeout | undefined;
  #act: () => void;
  #onCancel: (due: Due) => void;

  constructor(time: number, isEvent: boolean, act: () => void, onCancel: (due: Due) => void) {
    this.time = time;
    this.isEvent = isEvent;
    this.#act = act;
    this.#onCancel = onCancel;
  }

  cancel(): void {
    realTimers.clearTimeout(this.real);
    this.#onCancel(this);
  }

  fire(): void {
    this.cancel();
    this.#act();
  }

  ref(): this {
    this.isRef = true;
    this.real?.ref();
    return this;
  }

  unref(): this {
    this.isRef = false;
    this.real?.unref();
    return this;
  }

  hasRef(): boolean {
    return this.isRef;
  }
}

/**
 * Virtual time: while a command runs, and after a turn of the event loop without a call across the seam, the
 * clock jumps to the next event or timer.
 */
export class VirtualClock implements Clock {
  #start: number = realNow();
  #wallStart: number = Date.now();
  #passed = 0;
  #dues: Due[] = [];
  #running = 0;
  #isTouched = false;
  #isTurning = false;

  now(): number {
    return this.#start + this.#passed;
  }

  wallNow(): number {
    return Math.round(this.#wallStart + this.#passed);
  }

  setTimeout(act: () => void, ms: number): CancelableTimer {
    const due = this.#add(ms, false, act);
    // Without a running command, the timer waits in real time: what it bounds is none of ours.
    due.real = realTimers.setTimeout(() => due.fire(), ms);
    return due;
  }

  after(delay: number, act: () => void): CancelableTimer {
    return this.#add(delay, true, act);
  }

  touch(): void {
    this.#isTouched = true;
    this.#turn();
  }

  count(change: 1 | -1): void {
    this.#running += change;
    this.touch();
  }

  #add(delay: number, isEvent: boolean, act: () => void): Due {
    const time = this.#passed + Math.max(0, delay);
    const due = new Due(time, isEvent, act, (gone) => {
      const index = this.#dues.indexOf(gone);
      if (index >= 0) this.#dues.splice(index, 1);
    });
    // Equal times keep the order in which they were added.
    const later = this.#dues.findIndex((other) => other.time > time);
    this.#dues.splice(later < 0 ? this.#dues.length : later, 0, due);
    this.#turn();
    return due;
  }

  #turn(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    realTimers.setImmediate(() => this.#step());
  }

  #step(): void {
    this.#isTurning = false;
    if (this.#isTouched) {
      this.#isTouched = false;
      this.#turn();
      return;
    }
    if (this.#running === 0) return;
    const goal = this.#dues.find((due) => due.isEvent || due.isRef);
    if (goal === undefined) return;
    // A timer that keeps nothing alive fires when the clock passes it.
    const next = this.#dues[0];
    this.#passed = Math.max(this.#passed, next.time);
    this.#turn();
    next.fire();
  }
}

/** The global timers, fake or not, as they are at each use. */
export class GlobalClock implements Clock {
  now(): number {
    return Date.now();
  }

  wallNow(): number {
    return Date.now();
  }

  setTimeout(act: () => void, ms: number): CancelableTimer {
    const timer = globalThis.setTimeout(act, ms);
    return Object.assign(timer, { cancel: () => globalThis.clearTimeout(timer) });
  }

  after(delay: number, act: () => void): CancelableTimer {
    return this.setTimeout(act, delay);
  }

  touch(): void {}

  count(): void {}
}
