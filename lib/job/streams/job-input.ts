import type { Writable as InputWritable } from 'node:stream';
import { bindContext } from '../../addon/async-context.ts';
import { theBinding } from '../../addon/binding.ts';
import { bytes } from '../../options/checks.ts';
import { Queue } from '../../support/queue.ts';

type Act = () => void;
type Callback = (error?: Error | null) => void;

/**
 * The standard input of a job. Passes each piece to the addon, which reports when the piece is in the pipe.
 *
 * A job may wait for an approval, and the addon knows no job before its start: what is written until then is
 * passed on by `begin()`.
 */
class JobInput {
  #number: number;
  #inContext: (act: Act) => void;
  #onPassed: ((piece: Uint8Array | null) => void) | undefined;
  #stream: InputWritable | null = null;
  #isEnded = false;
  #isOver = false;
  /** The writes before the start, in order; `null` from then on. */
  #early: Act[] | null = [];
  /** The callbacks of pieces that are not yet in the pipe, oldest first. */
  #waiting = new Queue<Callback>();

  /**
   * @param inContext calls its argument in the asynchronous context of the caller that made the job
   * @param onPassed gets each piece that was passed to the addon, and `null` for the end
   */
  constructor(
    number: number,
    inContext: (act: Act) => void,
    onPassed: ((piece: Uint8Array | null) => void) | undefined,
  ) {
    this.#number = number;
    this.#inContext = inContext;
    this.#onPassed = onPassed;
  }

  /**
   * The input as a stream, created on first use: most jobs need none, and `node:stream` takes time to load.
   */
  get stream(): InputWritable {
    if (this.#stream === null) {
      this.#stream = inputStream(this, this.#inContext);
      if (this.#isEnded) this.#stream.end();
    }
    return this.#stream;
  }

  /** Writes a chunk, through the stream if there is one. Returns whether the chunk was queued. */
  write(chunk: string | Uint8Array): boolean {
    const piece = bytes('chunk', chunk);
    if (this.#isOver || this.#isEnded) return false;
    if (this.#stream === null) {
      this.send(piece, nothing);
    } else {
      if (this.#stream.writableEnded) return false;
      this.#stream.write(piece);
    }
    return true;
  }

  /** Ends the input after everything written before. */
  end(chunk?: string | Uint8Array): void {
    if (chunk !== undefined) this.write(chunk);
    if (this.#stream === null) this.close();
    else this.#stream.end();
  }

  /** Passes on what was written before the start of the job. */
  begin(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const act of early) act();
  }

  /**
   * Passes a piece to the addon. Calls `callback` when the piece is in the pipe, or when the command has
   * closed its end.
   */
  send(piece: Uint8Array, callback: Callback): void {
    if (this.#early !== null) {
      this.#early.push(() => this.send(piece, callback));
    } else if (this.#isOver || piece.byteLength === 0 || !theBinding().write(this.#number, piece)) {
      process.nextTick(callback);
    } else {
      this.#waiting.push(callback);
      this.#onPassed?.(piece);
    }
  }

  close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#early !== null) this.#early.push(() => this.#endInput());
    else this.#endInput();
  }

  #endInput(): void {
    if (this.#isOver) return;
    theBinding().endInput(this.#number);
    this.#onPassed?.(null);
  }

  /** Calls the callback of the oldest piece, which is in the pipe now. */
  drained(): void {
    this.#callBack(1);
  }

  /** Ends the input with the job. Pieces that the command did not read are no error. */
  finish(): void {
    this.#isOver = true;
    // A job that never started has read nothing.
    this.begin();
    this.#callBack(this.#waiting.length);
    // The stream is destroyed after the callbacks, so that none of them gets an error. Another stream that
    // pipes into it then stops, as with a child process of Node.js.
    process.nextTick(() => this.#stream?.destroy());
  }

  /** Calls each callback in a separate turn, so that the others run even if one throws. */
  #callBack(count: number): void {
    for (let left = count; left > 0; left--) process.nextTick(this.#waiting.shift() ?? nothing);
  }
}

/** Returns the input as a Node.js stream. A command that does not read its input is no error. */
function inputStream(input: JobInput, inContext: (act: Act) => void): InputWritable {
  const { Writable } = require('node:stream') as typeof import('node:stream');

  /**
   * Runs callbacks in the asynchronous context of the caller that passed them, as the stream of a child
   * process does.
   */
  class InputStream extends Writable {
    override write(...args: unknown[]): boolean {
      return Reflect.apply(super.write, this, args.map(bound));
    }

    override end(...args: unknown[]): this {
      return Reflect.apply(super.end, this, args.map(bound));
    }
  }

  return new InputStream({
    highWaterMark: HIGH_WATER,
    write: (chunk, _encoding, callback) => input.send(chunk, callback),
    writev: (chunks, callback) => sendFrom(0, chunks, input, callback),
    final(callback) {
      input.close();
      inContext(callback);
    },
    destroy(error, callback) {
      input.close();
      inContext(() => callback(error));
    },
  });
}

/**
 * Sends the chunks from an index on, and joins short ones to pieces of at most {@link HIGH_WATER}.
 *
 * Each piece waits for the one before, because the addon keeps a copy of what is not yet in the pipe. Joining
 * short chunks is a hundred times faster than waiting for each of them.
 */
function sendFrom(start: number, chunks: { chunk: Buffer }[], input: JobInput, callback: Callback): void {
  const piece = [chunks[start].chunk];
  let end = start + 1;
  for (let length = piece[0].length; end < chunks.length; end++) {
    const { chunk } = chunks[end];
    length += chunk.length;
    if (length > HIGH_WATER) break;
    piece.push(chunk);
  }
  const goOn = end === chunks.length ? callback : () => sendFrom(end, chunks, input, callback);
  input.send(piece.length === 1 ? piece[0] : Buffer.concat(piece), goOn);
}

/** Binds an argument of `write()` or `end()` to the current asynchronous context, if it is a callback. */
function bound(argument: unknown): unknown {
  return typeof argument === 'function' ? bindContext(argument as Callback) : argument;
}

function nothing(): void {}

/** The number of bytes in the stream at which `write()` returns false. */
const HIGH_WATER = 64 * 1024;

export { JobInput };
