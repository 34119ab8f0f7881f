// The types of what crosses the border to the addon, as JavaScript sees them.

import type * as Native from '../../native.js';

/**
 * A type that napi-rs generates, with the texts of its enumerations in their place: the addon takes and
 * returns plain strings.
 */
export type Plain<T> = T extends string
  ? `${T}`
  : T extends Uint8Array
    ? T
    : T extends (...given: infer Given) => infer Answer
      ? (...given: Plain<Given>) => Plain<Answer>
      : T extends object
        ? { [Name in keyof T]: Plain<T[Name]> }
        : T;

export type Binding = Plain<Native.Binding>;
export type NativeSession = Plain<Native.NativeSession>;
export type NativeTarget = Plain<Native.NativeTarget>;
export type NativePort = Plain<Native.NativePort>;
export type FilesAnswer = Plain<Native.FilesAnswer>;
export type FileFailure = Plain<Native.FileFailure>;
export type FileState = Plain<Native.FileState>;
export type PlaceSpec = Plain<Native.PlaceSpec>;
export type NativePolicy = Plain<Native.NativePolicy>;
export type TerminalScreen = Plain<Native.TerminalScreen>;

export type SurroundingsSpec = Plain<Native.SurroundingsSpec>;
export type TargetSpec = Plain<Native.TargetSpec>;
export type LimitsSpec = Plain<Native.LimitsSpec>;
export type TreeSpec = Plain<Native.TreeSpec>;
export type RunSpec = Plain<Native.RunSpec>;
export type MoreSpec = Plain<Native.MoreSpec>;
/**
 * The options of an output. `spillsForView`, which the addon does not read, tells whether the file is there
 * for the lines that the view leaves out, and goes if there are none.
 */
export type OutputSpec = Plain<Native.OutputSpec> & { spillsForView?: boolean | undefined };
export type SpillSpec = Plain<Native.SpillSpec>;
export type ViewSpec = Plain<Native.ViewSpec>;
export type DrainSpec = Plain<Native.DrainSpec>;
export type PtySpec = Plain<Native.PtySpec>;
/** The arguments of the user, in a spec: the addon ignores them, and a test's double compares them. */
export interface GivenCall {
  command: unknown;
  options: Readonly<Record<string, unknown>>;
}
export type CheckSpec = Plain<Native.CheckSpec>;
export type PolicySpec = Plain<Native.PolicySpec>;
export type SessionSpec = Plain<Native.SessionSpec>;
export type BashSpec = Plain<Native.BashSpec>;

export type NativeError = Plain<Native.NativeError>;
export type ViewResult = Plain<Native.ViewResult>;
export type ScreenState = Plain<Native.ScreenState>;
export type InputWaitState = Plain<Native.InputWaitState>;
export type PortState = Plain<Native.PortState>;
export type NativeDurable = Plain<Native.DurableResult>;
export type DurableSpec = Plain<Native.DurableSpec>;
export type NativeSecretScope = Plain<Native.NativeSecretScope>;
export type SecretScopeSpec = Plain<Native.SecretScopeSpec>;
export type ValueState = Plain<Native.ValueState>;
export type ConnectState = Plain<Native.ConnectState>;
export type PromptState = Plain<Native.PromptState>;
export type JobState = Plain<Native.JobState>;
export type Piece = Plain<Native.Piece>;
export type ObservedPiece = Plain<Native.ObservedPiece>;
export type ByteStreams = Native.ByteStreams;

/** A native result. `bytes` has the streams of a command whose output stays bytes. */
export type NativeResult = Plain<Native.RunResult> & { bytes?: ByteStreams | undefined };

/** An event of a job. Output has `text` or, if it stays bytes, `data`. */
export type JobEvent = { id: number } & (
  | { kind: 'answer'; text: string }
  | { kind: 'spawn'; pid: number }
  | { kind: 'stdout' | 'stderr'; text: string; data: Buffer }
  | { kind: 'unfinished'; lines: string[] }
  | { kind: 'drain' | 'observed' }
  | { kind: 'changed' }
  | { kind: 'waiting'; wait: InputWaitState }
  | { kind: 'inputchecked'; wait?: InputWaitState }
  | { kind: 'ports'; ports: PortState[] }
  | { kind: 'state'; state: JobState }
  | { kind: 'connect'; connect: ConnectState }
  | { kind: 'prompt'; prompt: PromptState }
  | { kind: 'promptover'; over: number }
  | { kind: 'files'; files: FilesAnswer }
  | { kind: 'background' | 'end'; result: NativeResult; bytes?: ByteStreams }
);

/** An event of a scope of secrets, which has an id as jobs do. */
export type ScopeEvent = { id: number; kind: 'value'; value: ValueState };

/** The event of a job that is over, or goes on in the background. */
export type EndEvent = Extract<JobEvent, { result: NativeResult }>;
