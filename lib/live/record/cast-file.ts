import { close, ftruncate, openSync, unlink, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { clearTimeout, setTimeout } from '../../support/timers.ts';
import type { Recording } from './api.ts';

/** The delay of a write (ms), and the length of what waits at which it begins at once (bytes). */
const DELAY_MS = 100;
const WRITE_BYTES = 64 * 1024;

/** The most that may wait for the disk (bytes). */
const MAX_WAITING = 1024 * 1024;

/** The longest time of a request (ms): after it, the disk counts as hung. */
const HANG_MS = 5_000;

/** The unit that the kernel writes whole or not at all when the process is killed meanwhile (bytes). */
const PAGE = 4_096;

/** The room that is left below the limit for the last line (bytes). */
const RESERVE = 64;

/** The flags and the mode of a new file, which must not exist. */
export const APPEND: string = 'ax';
export const MODE: number = 0o600;

const closing = promisify(close);
const truncating = promisify(ftruncate);
const unlinking = promisify(unlink);

/**
 * A file of whole lines, whatever happens: a full disk, one that hangs, the limit, a SIGKILL.
 *
 * A write that is killed may have written some of its pages. So no line crosses the border of a page: a
 * comment fills the rest of one. Only comments may be longer, and readers skip one that is cut.
 */
class CastFile {
  readonly recording: Recording;
  #file: number | null = null;
  #maxBytes: number;
  #create: (recording: Recording) => Promise<number>;
  #onRoom: () => void;
  #lines: string[] = [];
  /** The length of the lines that wait or are being written (bytes). */
  #waiting = 0;
  /** The length of the file with all of its lines (bytes). */
  #length = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when all lines are written, or never will be; `null` while nothing is written. */
  #work: Promise<void> | null = null;

  /**
   * @param create creates the file before its first line is written, and may change the path of the recording
   * @param onRoom is called when lines were written, or never will be
   */
  constructor(
    path: string,
    maxBytes: number,
    create: (recording: Recording) => Promise<number>,
    onRoom: () => void,
  ) {
    this.recording = { path, bytes: 0, complete: true, error: null };
    this.#maxBytes = maxBytes;
    this.#create = create;
    this.#onRoom = onRoom;
  }

  /** Creates the file now. Throws the error of the system. */
  createNow(): void {
    this.#opened(openSync(this.recording.path, APPEND, MODE));
  }

  /** Whether lines may be added; otherwise `onRoom` is called later. */
  get hasRoom(): boolean {
    return this.#waiting < MAX_WAITING;
  }

  get hasFailed(): boolean {
    return this.recording.error !== null;
  }

  /** Adds a line that ends with `\n`. */
  push(line: string, isLast = false): void {
    if (this.hasFailed) return;
    const left = PAGE - (this.#length % PAGE);
    const length = Buffer.byteLength(line);
    // A rest of one byte has no comment: one crosses the border.
    const padding = length > left && length <= PAGE ? `#${' '.repeat(Math.max(left - 2, 0))}\n` : '';
    const added = padding.length + length;
    if (this.#length + added > this.#maxBytes - (isLast ? 0 : RESERVE)) {
      this.#start();
      this.#fail(Object.assign(new Error('it has reached its limit'), { code: 'RECORDING_FULL' }));
      return;
    }
    this.#lines.push(padding + line);
    this.#length += added;
    this.#waiting += added;
    if (this.#waiting >= WRITE_BYTES) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), DELAY_MS).unref();
  }

  /** Writes what waits, and closes the file. Removes an empty one. Resolves also after an error. */
  async close(): Promise<void> {
    if (this.#lines.length > 0) this.#start();
    while (this.#work !== null) await this.#work;
    openFiles.delete(this);
    if (openFiles.size === 0) process.off('exit', writeOpenFiles);
    const file = this.#file;
    if (file === null) return;
    this.#file = null;
    const { path, bytes } = this.recording;
    const end = bytes > 0 ? closing(file) : closing(file).then(() => unlinking(path));
    await soon(end, () => {}).catch(() => {});
  }

  /** Writes what waits while the process exits. */
  writeNow(): void {
    if (this.#file === null || this.#work !== null) return;
    try {
      writeSync(this.#file, this.#lines.splice(0).join(''));
    } catch {
      // The process is ending, and nobody would get the error.
    }
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#work !== null || this.#lines.length === 0) return;
    this.#work = this.#writeAll()
      .catch((error) => this.#fail(error))
      .then(() => {
        this.#work = null;
        this.#onRoom();
      });
  }

  async #writeAll(): Promise<void> {
    if (this.#file === null) {
      const opened = this.#create(this.recording);
      this.#opened(await soon(opened, () => opened.then((file) => close(file, ignore), ignore)));
    }
    while (this.#lines.length > 0 && this.#file !== null) {
      const bytes = Buffer.from(this.#lines.splice(0).join(''));
      const writing = this.#append(this.#file, bytes);
      await soon(writing, () => this.#abandon(writing));
      this.recording.bytes += bytes.length;
      this.#waiting -= bytes.length;
      this.#onRoom();
    }
  }

  #opened(file: number): void {
    this.#file = file;
    if (openFiles.size === 0) process.on('exit', writeOpenFiles);
    openFiles.add(this);
  }

  /** Leaves the file to a request that hangs. */
  #abandon(request: Promise<unknown>): void {
    const file = this.#file;
    this.#file = null;
    const end = () => file !== null && close(file, ignore);
    request.then(end, end);
  }

  /** Appends whole lines. After an error, removes the part of a line. */
  async #append(file: number, bytes: Buffer): Promise<void> {
    let done = 0;
    try {
      while (done < bytes.length) done += await written(file, bytes, done);
    } catch (error) {
      const whole = bytes.subarray(0, done).lastIndexOf('\n') + 1;
      this.recording.bytes += whole;
      if (whole < done) await truncating(file, this.recording.bytes).catch(ignore);
      throw error;
    }
  }

  /** Ends the recording with an error, of which the user is warned. */
  #fail(error: NodeJS.ErrnoException): void {
    const code = error.code ?? 'EIO';
    if (code !== 'RECORDING_FULL') {
      this.#lines = [];
      this.#waiting = 0;
    }
    if (this.hasFailed) return;
    const { recording } = this;
    recording.error = { code, message: error.message };
    recording.complete = false;
    process.emitWarning(`The recording ${recording.path} is not complete: ${error.message}`, {
      code: 'RECORDING_INCOMPLETE',
    });
  }
}

/** The open files of this thread, which get what waits for them at its exit. */
const openFiles = new Set<CastFile>();

function writeOpenFiles(): void {
  for (const file of openFiles) file.writeNow();
}

/** Writes bytes from an offset on. Resolves with the number of bytes that were written. */
function written(file: number, bytes: Buffer, offset: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(file, bytes, offset, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

/** Rejects, and calls `onLate`, when a request takes too long. */
function soon<Answer>(request: Promise<Answer>, onLate: () => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onLate();
      reject(Object.assign(new Error('the disk has not answered for 5 s'), { code: 'ETIMEDOUT' }));
    }, HANG_MS);
    request.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function ignore(): void {}

export { CastFile };
