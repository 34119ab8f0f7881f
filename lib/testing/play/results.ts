// Results of output that no command writes: made by the addon's own code, or where there is no addon, for output
// that nothing cuts or converts.

import { Buffer } from 'node:buffer';
import type { StreamName } from '../../../types/command.js';
import type {
  MoreSpec,
  NativeResult,
  Piece,
  TerminalScreen,
  ViewSpec,
  VoiceCall,
} from '../../addon/addon-types.ts';
import { failure, OutputReplay } from '../../addon/native.ts';
import type { ScriptEnd } from './script.ts';

type Data = string | Uint8Array;

/** A chunk for the consumer of an output. */
export interface Chunk {
  stream: StreamName;
  text?: string | undefined;
  data?: Buffer | undefined;
}

/** The fields of a native result that follow from the output. */
export const DERIVED = [
  'stdout',
  'stderr',
  'output',
  'binaryStdout',
  'binaryStderr',
  'truncated',
  'stdoutBytes',
  'stderrBytes',
  'cursor',
  'view',
] as const;

type NativeReplay = InstanceType<typeof OutputReplay>;
type Derived = NativeResult & { bytes?: { stdout: Buffer; stderr: Buffer } };

/** Where a spill file is, for a result. */
export interface Spilled {
  path: string;
  bytes: number;
  complete: boolean;
}

/** The output of a command, and the results that follow from it. */
export class Output {
  #native: NativeReplay | null;
  #plain: PlainOutput | null = null;

  constructor(native: NativeReplay | null, more: MoreSpec | undefined) {
    this.#native = native;
    if (native === null) this.#plain = new PlainOutput(more);
  }

  /** Creates the output of a command of `run()`, a table or a session. */
  static ofRun(more: MoreSpec | undefined): Output {
    const native = failure === null ? OutputReplay.ofRun(more as never) : null;
    return new Output(native, more);
  }

  /** Creates the output of a call of the bash tool, or returns the result by which the addon refuses it. */
  static ofBash(call: VoiceCall, view: ViewSpec | undefined): Output | NativeResult {
    const made = OutputReplay.ofBash(call as never, view as never);
    return made instanceof OutputReplay ? new Output(made, undefined) : (made as NativeResult);
  }

  /** Adds output of a stream. Returns what its consumer gets. */
  push(stream: StreamName, data: Data): Chunk[] {
    if (this.#plain !== null) return this.#plain.push(stream, data);
    return (this.#native as NativeReplay).push(stream as never, Buffer.from(data as string)) as Chunk[];
  }

  /** Ends the output. Returns what its consumer gets at the end. */
  finish(): Chunk[] {
    return (this.#native?.finish() ?? []) as Chunk[];
  }

  /** Returns the result with the output so far, without the fields that don't follow from it. */
  result({ status, exitCode, signal }: ScriptEnd, durationMs: number, spilled: Spilled | undefined): Derived {
    if (this.#plain !== null) return this.#plain.result(status, durationMs);
    const { result, bytes } = (this.#native as NativeReplay).result({
      status: status as never,
      exitCode,
      signal,
      durationMs,
      spillPath: spilled?.path,
      spillBytes: spilled?.bytes,
      spillComplete: spilled?.complete,
    });
    return bytes === undefined ? (result as Derived) : Object.assign(result as Derived, { bytes });
  }

  read(since: number): Piece | null {
    return (this.#native?.read(since) ?? null) as Piece | null;
  }

  screen(): TerminalScreen | null {
    return (this.#native?.screen() ?? null) as TerminalScreen | null;
  }

  resize(cols: number, rows: number): void {
    this.#native?.resize(cols, rows);
  }
}

/** The most bytes of a stream that are kept by default. */
const MAX_BYTES = 1024 * 1024;

/** Output without an addon: text that is kept as a whole. */
class PlainOutput {
  #text = { stdout: '', stderr: '' };
  #isMerged: boolean;

  constructor(more: MoreSpec | undefined) {
    const { output, bytes, pty } = more ?? {};
    if (bytes || output?.view !== undefined || pty !== undefined)
      throw addonNeeded('the form of this output');
    this.#isMerged = output?.merge === true;
  }

  push(stream: StreamName, data: Data): Chunk[] {
    const text = typeof data === 'string' ? data : Buffer.from(data).toString();
    const name = this.#isMerged ? 'stdout' : stream;
    this.#text[name] += text;
    if (Buffer.byteLength(this.#text[name]) > MAX_BYTES) throw addonNeeded('output of more than 1 MiB');
    return [{ stream: name, text }];
  }

  result(status: NativeResult['status'], durationMs: number): Derived {
    const { stdout, stderr } = this.#text;
    const joined =
      stdout !== '' && stderr !== '' && !stdout.endsWith('\n') ? `${stdout}\n${stderr}` : stdout + stderr;
    return {
      status,
      stdout,
      stderr,
      output: joined === stdout ? undefined : joined,
      truncated: false,
      stdoutBytes: Buffer.byteLength(stdout),
      stderrBytes: Buffer.byteLength(stderr),
      durationMs,
    } as Derived;
  }
}

function addonNeeded(what: string): Error {
  const message = `ADDON_NEEDED: ${what} is the addon's, and this machine has no addon.`;
  return Object.assign(new Error(message, { cause: failure }), { code: 'ADDON_NEEDED' });
}
