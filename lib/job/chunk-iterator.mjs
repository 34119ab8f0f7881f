import { Queue } from './queue.mjs';

/** So much text may wait in an iterator before the command is slowed down (UTF-16 code units). */
const HIGH_WATER = 256 * 1024;

/** The chunks of a job, one after another, for `for await`. */
class ChunkIterator {
  #waiting = new Queue();
  #length = 0;
  #isDone = false;
  #takers = [];
  #onTaken;
  #onReturn;

  constructor(onTaken, onReturn) {
    this.#onTaken = onTaken;
    this.#onReturn = onReturn;
  }

  /** Whether the reader is behind. */
  get isFull() {
    return this.#length >= HIGH_WATER;
  }

  push(chunk) {
    const taker = this.#takers.shift();
    if (taker) {
      taker({ value: chunk, done: false });
    } else {
      this.#waiting.push(chunk);
      this.#length += chunk.text.length;
    }
  }

  finish() {
    this.#isDone = true;
    for (const taker of this.#takers.splice(0)) taker({ value: undefined, done: true });
  }

  next() {
    const chunk = this.#waiting.shift();
    if (chunk) {
      this.#length -= chunk.text.length;
      this.#onTaken();
      return Promise.resolve({ value: chunk, done: false });
    }
    if (this.#isDone) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#takers.push(resolve);
    });
  }

  /** Called by `break`. The job runs on; its output goes to the other readers only. */
  return() {
    this.#waiting = new Queue();
    this.#length = 0;
    this.finish();
    this.#onReturn();
    this.#onTaken();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

export { ChunkIterator };
