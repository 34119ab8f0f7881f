// The actions of a call, as `src/tools/call/action.rs` describes and serializes them.

import type { CommandPlace } from '../options/run-options.ts';
import type { SandboxGrant } from '../options/surroundings/sandbox-api.ts';
import type { Decided } from '../policy/authorize.ts';
import type { CommandOptions, CommandOutput } from './options/command-run-options.ts';

/** The action of a call. */
export type Action = CommandAction | JobAction;

/** An action that starts a command, or writes to one. */
export type CommandAction = SingleAction | BatchAction | RestartAction | WriteAction;

/** An action about jobs, or about earlier output. */
export type JobAction = ReadAction | KillAction | PartAction | ListAction | ManageAction;

export type SingleAction = { do: 'run' } & RunAction;
export type BatchAction = { do: 'batch'; runs: RunAction[]; concurrency: number };
export type KillAction = { do: 'kill'; id: string };
export type ListAction = { do: 'list' };
export type RestartAction = { do: 'restart'; then: RunAction | null };
export type ManageAction = {
  do: 'manage';
  poll: string[];
  cancel: string[];
  isPolling: boolean;
  waitMs: number;
};

/** An action with the host's part: what it asks for beyond its sandbox. */
export type ReadyAction = Action & { escalation: PendingEscalation | null };

/** The decision about a command, with which it starts. */
export interface JudgedAction {
  decided?: Decided | undefined;
}

/** The options with which a command runs, and the place, checked. */
export interface Prepared {
  options: CommandOptions & { output: CommandOutput };
  place: CommandPlace;
}

/** A command, with the option names of `run()` where `run()` has the option. */
export interface RunAction extends JudgedAction {
  command?: string;
  argv?: string[];
  shell?: string[];
  askedShell?: string[];
  startsAfresh: boolean;
  overlaps: boolean;
  cwd?: string | undefined;
  isContained: boolean;
  env: [name: string, value: string][];
  urlSchemes: string[];
  askedUser?: string;
  dialectEnv: [name: string, value: string][];
  nonInteractive: boolean;
  timeoutMs?: number;
  idleTimeoutMs?: number;
  yieldMs?: number;
  killAfterMs?: number;
  input?: string;
  isOpen: boolean;
  pty?: { cols: number; rows: number };
  waitsForOutput: boolean;
  isJob: boolean;
  isDetached: boolean;
  namesFile: boolean;
  needsRestart: boolean;
  savesState: boolean;
  label?: string;
  asks?: EscalationRequest;
  output: OutputPlan;
  /** The options that the policy judged, with which the command starts unless something has changed. */
  prepared?: Prepared | undefined;
  /** The directories to create before the command starts: the parents of the paths of internal URLs. */
  parents?: string[];
  /** The rights that the host has granted beyond the sandbox; `undefined` for none. */
  grant?: Grant | undefined;
  /** The granted part of the request, as a part of a sentence, where it is not all of it. */
  granted?: string | undefined;
}

/** The kept part of a command's output, with the option names of `run()`. */
export interface OutputPlan {
  maxBytes: number;
  keep: 'head' | 'tail' | 'both';
  headBytes?: number;
  byLine: boolean;
  merge: boolean;
  stripAnsi: boolean;
  marker?: string;
  spill: boolean;
  spillAbove?: number;
  spillAtOnce: boolean;
  view: boolean;
  viewBytes?: number;
}

export interface ReadAction {
  do: 'read';
  id: string;
  since?: number;
  fromStart: boolean;
  peeks: boolean;
  isWhole: boolean;
  viewBytes?: number;
  waitMs: number;
  untilEnd: boolean;
}

/** A part of earlier output: of the job `id`, or of the file `path`. */
export interface PartAction {
  do: 'output';
  id?: string;
  path?: string;
  from?: number;
  to?: number;
  find?: string;
  maxBytes: number;
}

export interface WriteAction extends JudgedAction {
  do: 'write';
  id: string;
  text?: string;
  end: boolean;
  key?: string;
  signal?: string;
  viewBytes?: number;
  waitMs: number;
  untilEnd: boolean;
}

/** The request of a model for more than the sandbox of its command gives. */
export interface EscalationRequest {
  more: SandboxGrant;
  reason: string | null;
}

/** Rights beyond a sandbox, with resolved paths. */
export interface Grant {
  more: SandboxGrant;
  /** The changed options of the sandbox; `undefined` for none. */
  widened: object | undefined;
  /** The rights and the reason of the request, as a sentence. */
  text: string;
  /** The rights, as a part of a sentence. */
  gives: string;
}

/** A request that can't be granted, because of a mistake in it. */
export interface MistakenEscalation {
  mistake: string;
  asks?: undefined;
}

/** A resolved request for more than a sandbox gives. */
export interface ResolvedEscalation {
  mistake?: undefined;
  sandbox: SandboxGrant;
  text: string;
  reason: string | null;
  isGranted: boolean;
  /** The request of the command; `undefined` for input to a job that was granted more. */
  asks?: EscalationRequest;
  /** The granted rights; `null` for none. Until somebody has decided, all that was asked for. */
  grant: Grant | null;
}

export type PendingEscalation = MistakenEscalation | ResolvedEscalation;
