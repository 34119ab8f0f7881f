import type { ObservedCommand } from '../../observe/observed-command.ts';
import type { StreamName } from '../../result/output-api.ts';
import { SafeSequences } from './safe-sequences.ts';

/** Text of a command as it was read at one time. */
export interface SafeText {
  stream: StreamName;
  text: string;
  /** Milliseconds since 1970. */
  time: number;
  /** The cursor after the text. */
  cursor: number;
}

/** The result of one read. */
export interface SafePiece {
  /** The output that is missing before the texts (bytes). */
  dropped: number;
  texts: SafeText[];
  /** Whether there may be more. */
  isMore: boolean;
}

/** The state of a stream between two reads. */
class Stream {
  filter: SafeSequences;
  #decoder = newDecoder();

  constructor(filter: SafeSequences) {
    this.filter = filter;
  }

  decode(data: Uint8Array | undefined): string {
    return data === undefined ? this.#decoder.decode() : this.#decoder.decode(data, { stream: true });
  }

  /** Forgets what is not complete: the bytes after it are missing. */
  reset(): void {
    this.#decoder = newDecoder();
    this.filter.reset();
  }
}

/** Reads the output of a command for one observer, decoded and without what could do harm. */
class OutputReader {
  #command: ObservedCommand;
  /** The streams that have written: most commands are never read, or use one. */
  #streams: Partial<Record<StreamName, Stream>> = {};
  #cursor = 0;

  constructor(command: ObservedCommand) {
    this.#command = command;
  }

  /** The cursor after what was read. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Reads the next output, at most `most` bytes. */
  read(most: number): SafePiece {
    const piece = this.#command.read(this.#cursor, most);
    if (piece === null) return { dropped: 0, texts: [], isMore: false };
    const { dropped, chunks, cursor } = piece;
    if (dropped > 0) this.#reset();
    let at = this.#cursor + dropped;
    this.#cursor = cursor;
    this.#command.take(cursor);
    const texts = chunks.map(({ stream, data, time }) => {
      at += data.length;
      // The engine may read output before this thread notes the start.
      const since = Math.max(time, this.#command.startedAt);
      return { stream, text: this.#safe(stream, data), time: since, cursor: at };
    });
    return { dropped, texts: texts.filter(({ text }) => text !== ''), isMore: chunks.length > 0 };
  }

  /** Returns the character that each stream has begun and not finished, at its end. */
  rest(): SafeText[] {
    const names = Object.keys(this.#streams) as StreamName[];
    const texts = names.map((stream) => ({
      stream,
      text: this.#safe(stream, undefined),
      time: 0,
      cursor: this.#cursor,
    }));
    return texts.filter(({ text }) => text !== '');
  }

  /** Skips the output but for its last `kept` bytes. Returns the number of bytes that were skipped. */
  skip(kept: number): number {
    const end = this.#command.read(Number.MAX_SAFE_INTEGER, 0)?.cursor ?? this.#cursor;
    const skipped = Math.max(end - kept - this.#cursor, 0);
    if (skipped > 0) this.#reset();
    this.#cursor += skipped;
    return skipped;
  }

  #safe(stream: StreamName, data: Uint8Array | undefined): string {
    const { facts } = this.#command;
    const source = this.#streams[stream] ?? new Stream(new SafeSequences(facts.pty !== null));
    this.#streams[stream] = source;
    const text = source.decode(data);
    return source.filter.push(facts.clean?.(text) ?? text);
  }

  #reset(): void {
    for (const stream of Object.values(this.#streams)) stream.reset();
  }
}

function newDecoder(): InstanceType<typeof TextDecoder> {
  return new TextDecoder('utf-8', { ignoreBOM: true });
}

export { OutputReader };
