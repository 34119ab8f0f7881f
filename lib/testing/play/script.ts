// A command that does not run, as a script: its events, and its end. Recordings and fakes are both scripts.

import type { InputWaitState, NativeResult, PortState } from '../../addon/addon-types.ts';
import type { RunError } from '../../result/api.ts';
import type { SignalName, StreamName } from '../../result/output-api.ts';
import type { FakeEnd } from '../api.ts';
import type { StoredFile } from '../cassette/files.ts';

/** Standard input, a signal, or another request of the caller. */
export type InputKind = 'write' | 'end' | 'kill' | 'abort' | 'expire' | 'resize' | 'dispose';

/** A request of the caller. */
export interface InputEvent {
  kind: 'input';
  input: InputKind;
  value: string;
  /** Returns whether what was written is the recorded text, but for values that have names in a cassette. */
  isSame?: ((text: string) => boolean) | undefined;
}

export type ScriptEvent = { at: number } & (
  | { kind: 'spawn' }
  | { kind: 'output'; stream: StreamName; data: string | Uint8Array }
  | { kind: 'waiting'; wait: InputWaitState }
  | { kind: 'checked'; wait: InputWaitState | undefined }
  | { kind: 'ports'; ports: PortState[] }
  | { kind: 'background'; end: ScriptEnd }
  | InputEvent
);

/** The fields of a native result that don't follow from the output. */
export type OwnFields = Pick<
  NativeResult,
  | 'cwd'
  | 'backgroundPids'
  | 'shellEnded'
  | 'restarted'
  | 'pipeStatus'
  | 'sandbox'
  | 'limits'
  | 'target'
  | 'error'
>;

export interface ScriptEnd {
  /** The time (ms); `never` for a command that only ends by a timeout, a signal or an abort. */
  at: number | 'never';
  status: NativeResult['status'];
  exitCode?: number | undefined;
  signal?: string | undefined;
  pid?: number | undefined;
  usage?: NativeResult['usage'];
  own: OwnFields;
  spill?: { bytes: number; complete: boolean; error?: RunError | undefined } | undefined;
  /** The fields in which the result differs from one that is made of the output. */
  exact?: Record<string, unknown> | undefined;
  /** Further such fields of a result that is made without the addon. */
  plain?: Record<string, unknown> | undefined;
}

export interface Script {
  /** Where the command stands in a cassette, for messages; `undefined` for a fake. */
  place?: string | undefined;
  /** Whether the output is raw, as a program writes it; that of a recording was converted. */
  isRaw: boolean;
  events: ScriptEvent[];
  end: ScriptEnd;
  /** The changes of the command below the root of the test. */
  files?: StoredFile[] | undefined;
}

/** The placeholder of the command's program in the message of an error. */
export const PROGRAM = '<program>';

/** Returns the script of a fake's answer to a command that runs `program`. */
export function scriptOf(answer: string | FakeEnd, pid: number, program: string): Script {
  const fake: FakeEnd = typeof answer === 'string' ? { chunks: [[0, 'stdout', answer]] } : answer;
  const { chunks = [], exitCode, signal, error, at } = fake;
  const files = fake.files?.split('\n');
  const events: ScriptEvent[] = error === undefined ? [{ at: 0, kind: 'spawn' }] : [];
  for (const [time, stream, data] of chunks) {
    if (data.length > 0) events.push({ at: time, kind: 'output', stream, data });
  }
  const last = events.at(-1)?.at ?? 0;
  const own: OwnFields = {};
  if (error !== undefined) own.error = { ...error, message: error.message.replace(PROGRAM, program) };
  const end = { at: at ?? last, pid: error === undefined ? pid : undefined, own };
  const failed = error?.code === 'DENIED' ? ('denied' as const) : ('failed' as const);
  if (error !== undefined) return { isRaw: true, events, files, end: { ...end, status: failed } };
  if (signal !== undefined)
    return { isRaw: true, events, files, end: { ...end, status: 'signaled', signal } };
  return { isRaw: true, events, files, end: { ...end, status: 'exited', exitCode: exitCode ?? 0 } };
}

/** Returns the script of a command that must not start. */
export function refusal(code: string, message: string): Script {
  return {
    isRaw: true,
    events: [],
    end: { at: 0, status: 'failed', own: { error: { code, message } } },
  };
}

export type { FakeEnd, SignalName };
