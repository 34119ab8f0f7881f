import type { Buffer } from 'node:buffer';
import type { ObservedPiece } from '../../addon/addon-types.ts';
import type { StreamName } from '../../result/output-api.ts';

interface TimedChunk {
  stream: StreamName;
  data: Buffer;
  /** Milliseconds since 1970. */
  time: number;
}

/** The output that is kept of a command whose observers do not take all of it, as in the engine (bytes). */
const KEPT = 1024 * 1024;

/** The output of a played job for recordings and live views: the addon keeps that of a job that runs. */
export class ObservedOutput {
  #parts: TimedChunk[] = [];
  /** The cursors of the first kept byte, and after the last one. */
  #start = 0;
  #end = 0;
  #keepsAll: boolean;
  #isWatched = false;

  constructor(keepsAll: boolean) {
    this.#keepsAll = keepsAll;
  }

  /** Adds output. Returns whether an observer waits for it, which is reported once. */
  push(stream: StreamName, data: Buffer, time: number): boolean {
    this.#parts.push({ stream, data, time });
    this.#end += data.length;
    while (!this.#keepsAll && this.#end - this.#start > KEPT) this.#drop(this.#end - this.#start - KEPT);
    const isAwaited = this.#isWatched;
    this.#isWatched = false;
    return isAwaited;
  }

  /** Asks for a report of the next output. */
  watch(): void {
    this.#isWatched = true;
  }

  /** Returns at most `most` bytes from a cursor on. */
  read(since: number, most: number): ObservedPiece {
    const begin = Math.min(Math.max(since, this.#start), this.#end);
    const end = Math.min(begin + most, this.#end);
    const chunks = [];
    let at = this.#start;
    for (const { stream, data, time } of this.#parts) {
      const part = data.subarray(Math.max(0, begin - at), Math.max(0, end - at));
      at += data.length;
      if (part.length > 0) chunks.push({ stream, data: part, time });
    }
    return { chunks, cursor: end, dropped: Math.max(0, begin - since) } as ObservedPiece;
  }

  #drop(bytes: number): void {
    const [first] = this.#parts;
    const dropped = Math.min(bytes, first.data.length);
    first.data = first.data.subarray(dropped);
    if (first.data.length === 0) this.#parts.shift();
    this.#start += dropped;
  }
}
