import { Buffer } from 'node:buffer';
import type { MoreSpec, NativeResult, Piece } from '../../addon/addon-types.ts';
import type { StreamName } from '../../result/output-api.ts';
import type { Chunk } from './results.ts';

/** The most bytes of a stream that are kept by default. */
const MAX_BYTES = 1024 * 1024;

/** The most bytes of a text that every view shows whole. */
const MAX_WHOLE = 2000;

/** Printable ASCII in lines none of which looks like a marker: its plain form and view are the same text. */
const SIMPLE = /^(?!\[)[\x20-\x7e]*(\n(?!\[)[\x20-\x7e]*)*$/;

type StreamChunk = { stream: StreamName; bytes: Buffer };

/**
 * Output of which nothing is cut or converted: what its results are without the addon. A recording has the
 * other results beside it.
 */
export class PlainOutput {
  #more: MoreSpec;
  #parts: StreamChunk[] = [];
  #size = 0;

  constructor(more: MoreSpec | undefined) {
    this.#more = more ?? {};
  }

  push(stream: StreamName, data: string | Uint8Array): Chunk[] {
    const { output, bytes: areBytes, pty } = this.#more;
    const name = output?.merge || pty !== undefined ? 'stdout' : stream;
    const bytes = Buffer.from(data as string);
    this.#parts.push({ stream: name, bytes });
    this.#size += bytes.length;
    return [areBytes ? { stream: name, data: bytes } : { stream: name, text: bytes.toString() }];
  }

  /** Whether the addon would cut or convert the output. */
  get isChanged(): boolean {
    const { output, pty } = this.#more;
    const isCut = this.#size > (output?.maxBytes ?? MAX_BYTES);
    const hasForm = output?.view !== undefined || output?.plain === true;
    return isCut || pty !== undefined || (hasForm && !this.#isSimple());
  }

  /** Whether the plain form and the view of the output are the output itself. */
  #isSimple(): boolean {
    const { maxBytes = MAX_WHOLE, minimize, footer } = this.#more.output?.view ?? {};
    if (minimize !== undefined || footer === true || this.#size > Math.min(maxBytes, MAX_WHOLE)) return false;
    return SIMPLE.test(Buffer.concat(this.#parts.map(({ bytes }) => bytes)).toString());
  }

  result(status: NativeResult['status'], durationMs: number): NativeResult {
    const [out, err] = [this.#of('stdout'), this.#of('stderr')];
    const sizes = { truncated: false, stdoutBytes: out.length, stderrBytes: err.length, durationMs };
    const cursor = this.#more.ring === undefined ? undefined : this.#size;
    if (this.#more.bytes) {
      return {
        status,
        stdout: '',
        stderr: '',
        ...sizes,
        cursor,
        bytes: { stdout: out, stderr: err },
      } as never;
    }
    const [stdout, stderr] = [out.toString(), err.toString()];
    const isApart = stdout !== '' && stderr !== '' && !stdout.endsWith('\n');
    const whole = stdout + (isApart ? '\n' : '') + stderr;
    return {
      status,
      stdout,
      stderr,
      output: whole === stdout ? undefined : whole,
      view: this.#more.output?.view === undefined ? undefined : wholeView(whole),
      ...sizes,
      cursor,
    } as never;
  }

  /** Returns the output from a cursor on. */
  read(since: number): Piece | null {
    if (this.#more.ring === undefined) return null;
    const chunks: { stream: StreamName; text?: string; data?: Buffer }[] = [];
    let at = 0;
    for (const { stream, bytes } of this.#parts) {
      const rest = bytes.subarray(Math.max(0, since - at));
      at += bytes.length;
      if (rest.length === 0) continue;
      const last = chunks.at(-1);
      if (last?.stream === stream && last.text !== undefined) last.text += rest.toString();
      else chunks.push(this.#more.bytes ? { stream, data: rest } : { stream, text: rest.toString() });
    }
    return { chunks, cursor: this.#size, dropped: 0 } as Piece;
  }

  #of(name: StreamName): Buffer {
    return Buffer.concat(this.#parts.filter(({ stream }) => stream === name).map(({ bytes }) => bytes));
  }
}

/** Returns the view that shows a text whole. */
function wholeView(text: string): NativeResult['view'] {
  const lines = text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0);
  const shown = lines === 0 ? [] : [[1, lines]];
  return { text, lines, bytes: Buffer.byteLength(text), shown, leftOut: [], complete: true };
}
