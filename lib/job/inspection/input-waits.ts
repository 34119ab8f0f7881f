import type { InputWaitState } from '../../addon/addon-types.ts';
import { theBinding } from '../../addon/binding.ts';
import { wrong } from '../../options/checks.ts';
import type { InputWait } from './api.ts';

/** The requests and listeners for the times at which a job waits for input. */
class InputWaits {
  #number: number;
  /** The callbacks of pending requests, oldest first. */
  #asked: ((wait: InputWait | null) => void)[] = [];
  #isFollowed = false;
  #isObserved = false;

  constructor(number: number) {
    this.#number = number;
  }

  /**
   * Tells the addon whether a listener follows waits, or an observer does. A listener that is added later
   * gets a wait that has begun already, whether there is an observer or not.
   */
  follow(isFollowed: boolean, isObserved: boolean): void {
    if (isFollowed === this.#isFollowed && isObserved === this.#isObserved) return;
    this.#isFollowed = isFollowed;
    this.#isObserved = isObserved;
    theBinding().followWaits(this.#number, isFollowed || isObserved);
  }

  /** Resolves with the wait of the job for input, or `null` if it does not wait now. */
  async ask(): Promise<InputWait | null> {
    const wait = await new Promise<InputWait | null>((resolve) => {
      if (theBinding().checkInput(this.#number)) this.#asked.push(resolve);
      else resolve(null);
    });
    if (wait === null && !theBinding().showsWaits()) {
      throw wrong('This system does not show what programs wait for', 'ENOTSUP');
    }
    return wait;
  }

  /** Handles the addon's answer to the oldest request. */
  answer(wait: InputWaitState | undefined): void {
    this.#asked.shift()?.(wait === undefined ? null : inputWait(wait));
  }

  /** Answers all requests at the end of the job. */
  finish(): void {
    for (const resolve of this.#asked.splice(0)) resolve(null);
  }
}

/** Converts the addon's wait to the type of `index.d.ts`, where an absent value is `null`. */
function inputWait({ timeout, ...wait }: InputWaitState): InputWait {
  return { ...(wait as Omit<InputWait, 'timeout'>), timeout: timeout ?? null };
}

export { InputWaits, inputWait };
