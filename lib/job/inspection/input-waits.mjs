import { theHost } from '../../addon/host.mjs';
import { notSupported } from './ready.mjs';

/** The questions and listeners that want to know whether a job waits for input. */
class InputWaits {
  #number;
  /** The callbacks for answers that are under way, oldest first. */
  #asked = [];
  #isFollowed = false;

  constructor(number) {
    this.#number = number;
  }

  /** Tells the addon whether anybody listens. */
  follow(isFollowed) {
    if (isFollowed === this.#isFollowed) return;
    this.#isFollowed = isFollowed;
    theHost().followWaits(this.#number, isFollowed);
  }

  /** How the job waits for input now, or `null`. */
  async ask() {
    const wait = await new Promise((resolve) => {
      if (theHost().lookForInput(this.#number)) this.#asked.push(resolve);
      else resolve(null);
    });
    if (wait === null && !theHost().canInspect()) throw notSupported('what programs wait for');
    return wait;
  }

  /** The addon has looked. */
  answer(wait) {
    this.#asked.shift()?.(wait === undefined ? null : inputWait(wait));
  }

  /** The job is over. */
  finish() {
    for (const resolve of this.#asked.splice(0)) resolve(null);
  }
}

/** The addon's wait as `index.d.ts` has it: what is absent is `null`. */
function inputWait({ timeout, ...wait }) {
  return { ...wait, timeout: timeout ?? null };
}

export { InputWaits, inputWait };
