import { Queue } from '../../support/queue.ts';

/** The amount of output in an iterator (UTF-16 code units, or bytes) at which the output pauses. */
const HIGH_WATER = 256 * 1024;

/** The output of a job for `for await`: a queue of chunks, and the calls of `next()` that wait for one. */
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

  /** Whether the reader is so far behind that the output must pause. */
  get isFull() {
    return this.#length >= HIGH_WATER;
  }

  push(chunk) {
    const taker = this.#takers.shift();
    if (taker) {
      taker({ value: chunk, done: false });
    } else {
      this.#waiting.push(chunk);
      this.#length += lengthOf(chunk);
    }
  }

  finish() {
    this.#isDone = true;
    for (const taker of this.#takers.splice(0)) taker({ value: undefined, done: true });
  }

  next() {
    const chunk = this.#waiting.shift();
    if (chunk) {
      this.#length -= lengthOf(chunk);
      this.#onTaken();
      return Promise.resolve({ value: chunk, done: false });
    }
    if (this.#isDone) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#takers.push(resolve);
    });
  }

  /** Ends the iteration, as `break` does. The job goes on. */
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

function lengthOf({ text, data }) {
  return (text ?? data).length;
}

export { ChunkIterator };
