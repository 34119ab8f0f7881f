// The outcomes of actions, as `src/tools/outcome/` reads them.

import type { SandboxRefusal } from '../options/surroundings/sandbox-api.ts';
import type { RunResult, RunStatus } from '../result/api.ts';

/** A file with the output of a command, as `OutputFile` of `src/tools/outcome/`. */
export interface OutputFile {
  path: string;
  bytes?: number;
  isPart?: boolean;
}

/** The kinds of the streams of a command that are binary. */
export interface BinaryFields {
  binaryStdout?: string | undefined;
  binaryStderr?: string | undefined;
}

/**
 * The outcome of a command or a job. `src/tools/outcome/` has the fields, and their values where they are
 * absent.
 */
export interface CommandOutcome extends BinaryFields {
  status: RunStatus | 'unknown';
  stdout: string;
  stderr: string;
  exitCode?: number | null;
  signal?: string | null;
  truncated?: boolean;
  stdoutBytes?: number;
  stderrBytes?: number;
  durationMs?: number;
  cwd?: string | undefined;
  pid?: number | null;
  processGroup?: number | null;
  backgroundPids?: number[];
  pipeStatus?: number[];
  cursor?: number | null;
  file?: OutputFile | null;
  errorCode?: string | undefined;
  error?: string | undefined;
  command?: string | undefined;
  refused?: readonly SandboxRefusal[];
  limits?: readonly string[];
  hasView?: boolean;
  dropped?: number;
  excerpt?: LineExcerpt;
  job?: string;
  label?: string | null;
  killed?: boolean;
  isOpen?: boolean;
  terminalId?: string | undefined;
  isTerminal?: boolean;
  isAdopted?: boolean;
  isStarting?: boolean;
  isMerged?: boolean;
  hasState?: boolean;
  shellEnded?: boolean;
  restarted?: boolean;
  needsRestart?: boolean;
  startedAsJob?: boolean;
  wasOver?: boolean;
  tookInput?: boolean;
  hasWaited?: boolean;
  reset?: { to: string; outsideOf?: string | undefined } | undefined;
  gone?: string | undefined;
  granted?: string | undefined;
  hasNewContainer?: boolean;
}

/** Lines of earlier output that were asked for. */
export interface LineExcerpt {
  from: number;
  to: number;
  isLast?: boolean;
  isCut?: boolean;
  found?: number;
  shown?: number;
}

/** The outcome of an action on several commands or jobs, or of a restart. */
export interface CompoundOutcome {
  stdout?: undefined;
  stderr?: undefined;
  items?: CommandOutcome[];
  cancelled?: CommandOutcome[];
  command?: CommandOutcome | null;
}

/** The end of an action. */
export interface Performed<Outcome = CommandOutcome> {
  outcome: Outcome;
  /** The engine's result, where a command was run. */
  result?: RunResult | undefined;
  jobId?: string | undefined;
  /** The terminal of the client in which the command ran. */
  terminalId?: string | undefined;
  /** The fault of the action, if the outcome does not say it. */
  fault?: string;
}
