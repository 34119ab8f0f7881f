import { bindContext } from '../addon/async-context.mjs';
import { theHost } from '../addon/host.mjs';
import { bytes } from '../options/checks.mjs';
import { Queue } from './queue.mjs';

/** The standard input of a job: what is written goes to the addon, which says when each piece is in the pipe. */
class JobInput {
  #number;
  #inContext;
  #stream = null;
  #isEnded = false;
  #isOver = false;
  /** What to call when the pieces that are under way have arrived, oldest first. */
  #waiting = new Queue();

  /** `inContext(act)` calls `act` in the asynchronous context of whoever made the job. */
  constructor(number, inContext) {
    this.#number = number;
    this.#inContext = inContext;
  }

  /** The same as a stream, made when somebody asks for it: most jobs do without, and `node:stream` need not load. */
  get stream() {
    if (this.#stream === null) {
      this.#stream = inputStream(this, this.#inContext);
      if (this.#isEnded) this.#stream.end();
    }
    return this.#stream;
  }

  /** Writes after what was written before, through the stream if there is one. Whether it is taken. */
  write(chunk) {
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

  /** The end of the input, after what was written before. */
  end(chunk) {
    if (chunk !== undefined) this.write(chunk);
    if (this.#stream === null) this.close();
    else this.#stream.end();
  }

  /** Hands a piece to the addon, and calls back when it is in the pipe or nobody wants it any more. */
  send(piece, callback) {
    if (this.#isOver || piece.byteLength === 0 || !theHost().write(this.#number, piece)) {
      process.nextTick(callback);
    } else {
      this.#waiting.push(callback);
    }
  }

  close() {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (!this.#isOver) theHost().endInput(this.#number);
  }

  /** The oldest piece under way has arrived. */
  drained() {
    this.#callBack(1);
  }

  /** The job is over. Nobody will read what is still under way, and that is no error. */
  finish() {
    this.#isOver = true;
    this.#callBack(this.#waiting.length);
    // After the callbacks, so that none of them is an error. Whoever pipes into it stops then, as with a child of Node.
    process.nextTick(() => this.#stream?.destroy());
  }

  /** In a turn of its own, so that a callback which throws keeps nothing from others. */
  #callBack(count) {
    for (let left = count; left > 0; left--) process.nextTick(this.#waiting.shift());
  }
}

/** The input as one of Node's streams. A child that does not read it is no error. */
function inputStream(input, inContext) {
  const { Writable } = require('node:stream');

  /** As with a child process, a callback runs in the asynchronous context of whoever passed it, and a listener does not. */
  class InputStream extends Writable {
    write(...args) {
      return super.write(...args.map(bound));
    }

    end(...args) {
      return super.end(...args.map(bound));
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
 * Sends the chunks from an index on, joined to pieces of at most {@link HIGH_WATER} where they are shorter.
 *
 * Each piece waits for the one before, since the addon keeps a copy of what is under way. For short chunks, to wait for each
 * would take a hundred times as long.
 */
function sendFrom(start, chunks, input, callback) {
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
function bound(argument) {
  return typeof argument === 'function' ? bindContext(argument) : argument;
}

function nothing() {}

/** So much may wait in the stream before `write()` answers false (bytes). */
const HIGH_WATER = 64 * 1024;

export { JobInput };
