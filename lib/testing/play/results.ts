// Results of output that no command writes, made by the addon's own code; without the addon, those of plain
// output.

import { Buffer } from 'node:buffer';
import type {
  BashSpec,
  MoreSpec,
  NativeError,
  NativeResult,
  Piece,
  TerminalScreen,
  ViewSpec,
} from '../../addon/addon-types.ts';
import { failure, OutputReplay, question } from '../../addon/native.ts';
import { isNativeError } from '../../addon/native-error.ts';
import type { StreamName } from '../../result/output-api.ts';
import { PlainOutput } from './plain-output.ts';
import { Screens } from './screens.ts';
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

/** Returns the error by which the addon refuses a call of the bash tool. */
const refusedCall = question('refusedCall', (call: BashSpec, view: ViewSpec | undefined) => {
  const made = newReplay(call, view);
  return isNativeError(made) ? made : null;
});

function newReplay(call: BashSpec, view: ViewSpec | undefined): NativeReplay | NativeError {
  return OutputReplay.ofBash(call as never, view as never);
}

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
  readonly screens: Screens;
  #native: NativeReplay | null;
  #plain: PlainOutput;

  constructor(native: NativeReplay | null, more: MoreSpec | undefined) {
    this.#native = native;
    this.screens = new Screens(more);
    this.#plain = new PlainOutput(more);
  }

  /** Creates the output of a command of `run()`, a table or a session. */
  static ofRun(more: MoreSpec | undefined): Output {
    const native = failure === null ? OutputReplay.ofRun(more as never) : null;
    return new Output(native, more);
  }

  /** Creates the output of a call of the bash tool, or returns the error by which the addon refuses it. */
  static ofBash(call: BashSpec, view: ViewSpec | undefined): Output | NativeError {
    const more = { bytes: call.bytes, pty: call.pty, ...(view && { output: { view } }) } as MoreSpec;
    const refused = refusedCall(call, view);
    if (refused !== null) return refused;
    return new Output(failure === null ? (newReplay(call, view) as NativeReplay) : null, more);
  }

  /** Whether the addon makes the results. */
  get isNative(): boolean {
    return this.#native !== null;
  }

  /** Whether there is no addon, which would cut or convert the output. */
  get needsAddon(): boolean {
    return this.#native === null && this.#plain.isChanged;
  }

  /** Returns the result that there is without the addon. */
  plainResult({ status }: ScriptEnd, durationMs: number): Derived {
    return this.#plain.result(status, durationMs) as Derived;
  }

  /** Adds output of a stream. Returns what its consumer gets. */
  push(stream: StreamName, data: Data): Chunk[] {
    const chunks = this.#plain.push(stream, data);
    this.screens.push(Buffer.from(data as string).toString());
    return (
      (this.#native?.push(stream as never, Buffer.from(data as string)) as Chunk[] | undefined) ?? chunks
    );
  }

  /** Ends the output. Returns what its consumer gets at the end. */
  finish(): Chunk[] {
    return (this.#native?.finish() ?? []) as Chunk[];
  }

  /** Returns the result with the output so far, without the fields that don't follow from it. */
  result({ status, exitCode, signal }: ScriptEnd, durationMs: number, spilled: Spilled | undefined): Derived {
    if (this.#native === null) return this.#plain.result(status, durationMs) as Derived;
    const { result, bytes } = this.#native.result({
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
    return this.#native === null ? this.#plain.read(since) : (this.#native.read(since) as Piece | null);
  }

  screen(): TerminalScreen | null {
    return this.screens.screen(this.#native?.screen() as TerminalScreen | null | undefined);
  }

  resize(cols: number, rows: number): void {
    this.screens.resize(cols, rows);
    this.#native?.resize(cols, rows);
  }
}
