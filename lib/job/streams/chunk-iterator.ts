import { Queue } from '../../support/queue.ts';

/** An item of an iterator: text or bytes, whose length counts. */
type Sized = { text: string } | { data: Uint8Array };

/** The amount of output in an iterator (UTF-16 code units, or bytes) at which the output pauses. */
const HIGH_WATER = 256 * 1024;

/** The output of a job for `for await`: a queue of chunks, and the calls of `next()` that wait for one. */
class ChunkIterator<Chunk extends Sized> implements AsyncIterableIterator<Chunk> {
  #waiting = new Queue<Chunk>();
  #length = 0;
  #isDone = false;
  #takers: ((result: IteratorResult<Chunk>) => void)[] = [];
  #onTaken: () => void;
  #onReturn: () => void;

  constructor(onTaken: () => void, onReturn: () => void) {
    this.#onTaken = onTaken;
    this.#onReturn = onReturn;
  }

  /** Whether the reader is so far behind that the output must pause. */
  get isFull(): boolean {
    return this.#length >= HIGH_WATER;
  }

  push(chunk: Chunk): void {
    const taker = this.#takers.shift();
    if (taker) {
      taker({ value: chunk, done: false });
    } else {
      this.#waiting.push(chunk);
      this.#length += lengthOf(chunk);
    }
  }

  finish(): void {
    this.#isDone = true;
    for (const taker of this.#takers.splice(0)) taker({ value: undefined, done: true });
  }

  next(): Promise<IteratorResult<Chunk>> {
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
  return(): Promise<IteratorResult<Chunk>> {
    this.#waiting = new Queue();
    this.#length = 0;
    this.finish();
    this.#onReturn();
    this.#onTaken();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

function lengthOf(chunk: Sized): number {
  return 'text' in chunk ? chunk.text.length : chunk.data.length;
}

export { ChunkIterator };
