import { theHost } from '../../addon/host.mjs';
import { wrong } from '../../options/checks.mjs';

/** The requests and listeners for the times at which a job waits for input. */
class InputWaits {
  #number;
  /** The callbacks of pending requests, oldest first. */
  #asked = [];
  #isFollowed = false;

  constructor(number) {
    this.#number = number;
  }

  /** Tells the addon whether a listener follows waits. */
  follow(isFollowed) {
    if (isFollowed === this.#isFollowed) return;
    this.#isFollowed = isFollowed;
    theHost().followWaits(this.#number, isFollowed);
  }

  /** Resolves with the wait of the job for input, or `null` if it does not wait now. */
  async ask() {
    const wait = await new Promise((resolve) => {
      if (theHost().checkInput(this.#number)) this.#asked.push(resolve);
      else resolve(null);
    });
    if (wait === null && !theHost().showsWaits()) {
      throw wrong('This system does not show what programs wait for', 'ENOTSUP');
    }
    return wait;
  }

  /** Handles the addon's answer to the oldest request. */
  answer(wait) {
    this.#asked.shift()?.(wait === undefined ? null : inputWait(wait));
  }

  /** Answers all requests at the end of the job. */
  finish() {
    for (const resolve of this.#asked.splice(0)) resolve(null);
  }
}

/** Converts the addon's wait to the type of `index.d.ts`, where an absent value is `null`. */
function inputWait({ timeout, ...wait }) {
  return { ...wait, timeout: timeout ?? null };
}

export { InputWaits, inputWait };
