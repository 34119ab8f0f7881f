import { ref, unref } from '../addon/binding.ts';

/**
 * A job's reference to the event loop, which keeps Node.js alive. Setting it is idempotent, unlike the
 * counter of the addon's binding.
 */
class LoopReference {
  #isHeld = false;
  #isReleased = false;

  /** Takes the reference, or releases it. */
  set(isHeld: boolean): void {
    if (isHeld === this.#isHeld || this.#isReleased) return;
    this.#isHeld = isHeld;
    if (isHeld) ref();
    else unref();
  }

  /** Releases the reference for good, at the end of the job. */
  release(): void {
    this.set(false);
    this.#isReleased = true;
  }
}

export { LoopReference };
