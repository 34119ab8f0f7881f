import { ref, unref } from '../addon/host.mjs';

/** A job's reference to the event loop, which keeps Node.js alive. Idempotent, unlike the counter behind it. */
class LoopReference {
  #isHeld = false;
  #isReleased = false;

  /** Holds the reference, or gives it up. */
  set(isHeld) {
    if (isHeld === this.#isHeld || this.#isReleased) return;
    this.#isHeld = isHeld;
    if (isHeld) ref();
    else unref();
  }

  /** Gives the reference up for good, at the end of the job. */
  release() {
    this.set(false);
    this.#isReleased = true;
  }
}

export { LoopReference };
