import { theBinding } from '../../addon/binding.ts';
import type { ByteChunk, Encoding, OutputChunk, StreamName, TextChunk } from '../../result/output-api.ts';
import { ChunkIterator } from './chunk-iterator.ts';

type Chunk = OutputChunk<Encoding>;
type Tap = (chunk: string | Uint8Array, stream: StreamName) => void;

/**
 * Backpressure of one job's output.
 *
 * The flow reports to the addon whether the output has a consumer (a listener of `data`, an iterator), and
 * pauses the output while an iterator is full. It calls the addon only when one of these changes.
 */
class OutputFlow {
  #number: number;
  #hasListener: () => boolean;
  /** Listeners of this package that get the output in addition to the user's. */
  #taps = new Set<Tap>();
  #iterators = new Set<ChunkIterator<Chunk>>();
  #isOpen = false;
  #isOver = false;
  /** The demand that the addon knows; `undefined` while listeners may still be added. */
  #isWanted: boolean | undefined;
  #isPaused = false;

  /**
   * @param number the job's number at the addon
   * @param hasListener returns whether the job has a listener of `data`
   */
  constructor(number: number, hasListener: () => boolean) {
    this.#number = number;
    this.#hasListener = hasListener;
  }

  /**
   * Opens the flow, right before the command starts.
   *
   * @param mayGetListeners whether listeners may still be added in this turn of the event loop, even after an
   * `await`
   * @returns whether the output has a consumer; `undefined` if the first piece of output decides
   */
  open(mayGetListeners: boolean): boolean | undefined {
    this.#isOpen = true;
    this.#isWanted = mayGetListeners ? this.#hasConsumer() || undefined : false;
    return this.#isWanted;
  }

  /** Returns an iterator of the output from now on. After the end of the job, the iterator is empty. */
  iterate(): ChunkIterator<Chunk> {
    const iterator: ChunkIterator<Chunk> = new ChunkIterator(
      () => this.update(),
      () => this.#iterators.delete(iterator),
    );
    if (this.#isOver) {
      iterator.finish();
    } else {
      this.#iterators.add(iterator);
      this.update();
    }
    return iterator;
  }

  /** Calls `listener(chunk, stream)` for each output. Returns a function that removes the listener. */
  tap(listener: Tap): () => void {
    this.#taps.add(listener);
    this.update();
    return () => {
      this.#taps.delete(listener);
      this.update();
    };
  }

  /** Passes text or bytes of a stream to all taps and iterators. */
  push(stream: StreamName, data: string | Uint8Array): void {
    for (const listener of [...this.#taps]) listener(data, stream);
    const chunk: TextChunk | ByteChunk = typeof data === 'string' ? { stream, text: data } : { stream, data };
    for (const iterator of this.#iterators) iterator.push(chunk);
    this.update();
  }

  /** Reports a change to the addon: a listener was added or removed, an iterator became full or has room. */
  update(): void {
    if (!this.#isOpen) return;
    const isWanted = this.#hasConsumer();
    if (isWanted !== this.#isWanted) {
      this.#isWanted = isWanted;
      theBinding().want(this.#number, isWanted);
    }
    const isPaused = this.#iterators.size > 0 && [...this.#iterators].some((iterator) => iterator.isFull);
    if (isPaused !== this.#isPaused) {
      this.#isPaused = isPaused;
      theBinding().pause(this.#number, isPaused);
    }
  }

  /** Ends all iterators at the end of the job. */
  finish(): void {
    this.#isOpen = false;
    this.#isOver = true;
    for (const iterator of this.#iterators) iterator.finish();
    this.#iterators.clear();
  }

  #hasConsumer(): boolean {
    return this.#hasListener() || this.#taps.size > 0 || this.#iterators.size > 0;
  }
}

export { OutputFlow };
