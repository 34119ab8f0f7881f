// Results of commands, and their errors.

import type { DurableInfo } from '../durable/api.ts';
import type { Recording } from '../live/record/api.ts';
import type { SandboxReport } from '../options/surroundings/sandbox-api.ts';
import type { Decision } from '../policy/api.ts';
import type { TargetReport } from '../target/api.ts';
import type { View } from '../view/api.ts';
import type { Encoding, Output, SignalName } from './output-api.ts';

/** The end of a command, as one word. docs/errors.md has a table of all statuses. */
export type RunStatus =
  /** The command exited; see `exitCode`. */
  | 'exited'
  /** The command died by a signal that agent-bash did not send, or that `kill()` sent; see `signal`. */
  | 'signaled'
  /** The command took longer than `timeout` or `backgroundTimeout`, and was ended. */
  | 'timeout'
  /** The command wrote nothing for `idleTimeout`, and was ended. */
  | 'idleTimeout'
  /**
   * The command took longer than `timeout` and goes on as a job. The result is the state so far. `run()`
   * only.
   */
  | 'background'
  /** The `AbortSignal` ended the command, or the command was stopped before it had a process. */
  | 'aborted'
  /** Safe mode or the `policy` does not allow the command. Nothing ran. */
  | 'denied'
  /** The command could not be started, or its exit status was lost; see `error`. */
  | 'failed';

/** The failure of a command or of agent-bash. docs/errors.md has a table of all codes. */
export interface RunError {
  /**
   * The code. Stable.
   *
   * - Node.js's code of a failed launch: `ENOENT`, `EACCES`, `ENOTDIR`, …
   * - `ABORT_ERR`: stopped before there was a process; `ETIMEDOUT`: the time was up before there was a
   *   process.
   * - `ECHILD`: other code in this process took the exit status of a command that ran.
   * - `NOT_ENDED`: a process could not be killed. `OUTPUT_LOST`: the output could not be read to its end.
   *   `INTERNAL`: a defect.
   * - {@link run} and {@link Jobs}: `CWD_` or `ROOT_` with `MISSING`, `NOT_DIRECTORY` or `NOT_ACCESSIBLE`,
   *   and `CWD_OUTSIDE`.
   * - {@link run}: `JOB_LIMIT` and `JOBS_DISPOSED`, if the command was ended because its table took no more
   *   jobs.
   * - `DENIED`, `DANGEROUS`, `NOT_APPROVED`, `UNPARSEABLE`: the `policy` does not allow the command.
   * - `SANDBOX_UNAVAILABLE`, `SANDBOX_PROTECTED`, `SANDBOX_PATH`, `SANDBOX_SOCKET`: the sandbox can't be
   *   built; `OVERLAY_FULL`, `OVERLAY_ROOT`, `OVERLAY_FAILED`: the command can't run in the overlay;
   *   `TARGET_` and more, and `OUT_OF_MEMORY`: see docs/targets.md and docs/limits.md. `LIMITS_UNAVAILABLE`:
   *   a limit of `limits.tree` can't be applied.
   * - `DURABLE_LOST`: what watched over a durable job is gone; `DURABLE_UNAVAILABLE`, `DURABLE_DIRECTORY`,
   *   `DURABLE_LIMIT`, `DURABLE_NAME`, `DURABLE_NOT_FOUND`, `DURABLE_OLD`: see docs/durable-jobs.md.
   * - `PTY_UNAVAILABLE`: no terminal could be opened. `WAITING_FOR_INPUT`: `onWaiting: 'kill'` ended the
   *   command.
   * - {@link ShellSession}: `SESSION_START`, `SESSION_LOST`, `SESSION_CLOSED`.
   * - {@link BashJob}: `DENIED`, `MISSING_COMMAND`, `INVALID_SYNTAX`, `ERR_INVALID_ARG_VALUE`.
   */
  code: string;
  /** The reason for people, such as `spawn /bin/zsh ENOENT`. May change. */
  message: string;
}

/**
 * The result of a command, whose output has the form `E` (see {@link CommandOptions.encoding}). An absent
 * value is `null`. With `status: 'background'`, it has a `jobId`.
 */
export type RunResult<E extends Encoding = 'utf8'> = ResultFields<E> & ResultStatus;

/** How a command ended, and its job. */
export type ResultStatus =
  | {
      /** The command goes on as a job. */
      status: 'background';
      /** The id of the background job (`job-7`). See {@link Jobs.get}. */
      jobId: string;
    }
  | {
      /** The way in which the command ended. */
      status: Exclude<RunStatus, 'background'>;
      /** The id of the background job (`job-7`), or `null` if the command is none. See {@link Jobs.get}. */
      jobId: string | null;
    };

/** The fields that a result has whatever its status is. */
export interface ResultFields<E extends Encoding = 'utf8'> {
  /** The command as given. An array is joined to one line, quoted for a POSIX shell. */
  command: string;
  /**
   * The working directory. For {@link run} and {@link Jobs}, its real path if the command could be started
   * there.
   */
  cwd: string;
  /** The exit code (0 to 255; 32 bits on Windows), or `null` if the process did not exit by itself. */
  exitCode: number | null;
  /** The signal that ended the process, or `null`. */
  signal: SignalName | null;
  /**
   * The kept standard output: for {@link run} and {@link Jobs} as `output` asks, for {@link BashJob} the
   * first 102,404 bytes.
   */
  stdout: Output<E>;
  /** The kept standard error, likewise. Empty with `output.merge`. */
  stderr: Output<E>;
  /**
   * `stdout`, then `stderr` on a new line. Does not contain the end of the command: see `status`, `exitCode`,
   * `signal` and `error`. For {@link BashJob}: the answer of {@link bash} to the same command, which contains
   * it. With `output.view`: `view.text`. As bytes: `stdout`, then `stderr`, with nothing in between, also for
   * {@link BashJob}.
   */
  output: Output<E>;
  /** Whether `stdout` or `stderr` lacks a part of what the command wrote. */
  truncated: boolean;
  /** The length of each stream as the command wrote it (bytes). */
  totalBytes: { stdout: number; stderr: number };
  /** The time from the start of the job to its end, or to this answer (ms). */
  durationMs: number;
  /**
   * The pid of the command, or `null` if there was no process. The system may have given it to another
   * process since.
   */
  pid: number | null;
  /** The process group of the command, or `null` if there was no process. */
  processGroup: number | null;
  /**
   * The pids of the command's processes that still run, without `pid`. After the exit: all processes that
   * outlive the command. With `status: 'background'`: those that the command put into the background with `&`
   * or in a session of their own; the processes that its shell waits for are part of the job (`jobId`).
   * Windows does not tell the two apart, so there it is all of them.
   */
  backgroundPids: number[];
  /**
   * Where the output of this result ends: `jobs.read(jobId, cursor)` returns the output after it. `null` if
   * the command is no background job, or has nothing to read (`readBytes: 0`). With `output.stripAnsi`, this
   * result has an unfinished line as it is so far, and `read()` returns the line again when it is finished.
   */
  cursor: number | null;
  /** `spill.path`, or `null`. */
  spillPath: string | null;
  /** The file with all output, or `null` if none was asked for or nothing ran. */
  spill: Spill | null;
  /** The view of the output for a model; `null` unless `output.view` asked for it, or if nothing ran. */
  view: View | null;
  /** The resources that the command and the children it waited for used; `null` if unknown. */
  usage: Usage | null;
  /** The limits of `limits.tree` that hold; `null` without it, and for a command that did not run. */
  limits: LimitsReport | null;
  /** The report on the command's sandbox; `null` without one, and for a command that did not run. */
  sandbox: SandboxReport | null;
  /** Where the command ran, if not on this machine; `null` here, and for a command that did not run. */
  target: TargetReport | null;
  /** The failure of agent-bash or of the launch, or `null`. A non-zero exit is no error: see `exitCode`. */
  error: RunError | null;
  /** The recording of this command alone, with the option `record`; otherwise absent. */
  recording?: Recording | undefined;
  /** The facts of the durable job at its end here; absent for other commands. */
  durable?: DurableInfo | undefined;
  /** The decision of the `policy`; `null` without one. */
  decision: Decision | null;
  /**
   * The exit statuses of the pipeline's stages, or `null` if they are not known. Only with
   * {@link RunOptions.pipeStatus}.
   */
  pipeStatus?: number[] | null;
}

/** The file with all output of a command. See {@link OutputOptions.spill}. */
export interface Spill {
  /**
   * The absolute path, also if the file could not be created: see `error`. Only the current user can read the
   * file.
   */
  path: string;
  /** The size of the file (bytes). */
  bytes: number;
  /** Whether the file has everything that the command wrote. */
  complete: boolean;
  /**
   * The error that prevented the creation of the file or a write, or `null`; also `null` if the file reached
   * `maxBytes`. The command runs regardless.
   */
  error: RunError | null;
}

/** The resources that a command used, as in `getrusage`. */
export interface Usage {
  /** Processor time in user mode (ms). */
  userMs: number;
  /** Processor time in kernel mode (ms). */
  systemMs: number;
  /**
   * The peak memory (resident set) of the largest process (bytes), or `null` below the peak of Node.js
   * itself: a new process begins in the memory of its parent, and the kernel counts that memory in.
   */
  maxRssBytes: number | null;
  /** The use of all processes together; only with `limits.tree` and a cgroup. */
  tree?: TreeUsage | undefined;
}

/**
 * The use of all processes of a command together, as the kernel counts it for their cgroup. In a session:
 * since the command began, apart from `memoryPeak`.
 */
export interface TreeUsage {
  /** The most memory at a time, with the page cache (bytes); `null` before Linux 5.19, or if unknown. */
  memoryPeak: number | null;
  /** Processor time in user mode (ms). */
  userMs: number;
  /** Processor time in kernel mode (ms). */
  systemMs: number;
  /** The time for which processes waited because of `cpus` (ms). */
  throttledMs: number;
  /** The number of processes that the kernel ended for lack of memory. */
  oomKills: number;
  /** The times in which a process waited for a resource (ms); `null` if the kernel does not count them. */
  stalledMs: { cpu: number; memory: number; io: number } | null;
}

/** A limit of {@link TreeLimits}. */
export type TreeLimit = 'memory' | 'swap' | 'processes' | 'cpus' | 'cpuWeight' | 'io';

/** The fate of {@link LimitOptions.tree}: which limits hold, and by which mechanism. */
export interface LimitsReport {
  /**
   * Where the cgroup of the command is: `'directory'`, in a prepared directory; `'systemd'`, in a scope of
   * systemd for this process. `null`: there is none.
   */
  mechanism: 'directory' | 'systemd' | null;
  /** The limits that hold. */
  applied: TreeLimit[];
  /** The limits that do not, with `onUnavailable: 'weaker'`. */
  missing: TreeLimit[];
  /**
   * The limits that were reached: `'memory'`: the kernel found no memory within it; `'processes'`: it refused
   * some; `'cpu'`: processes waited.
   */
  hit: ('memory' | 'processes' | 'cpu')[];
  /** Why a limit is missing and what helps; `null` if none is. */
  reason: string | null;
}

/**
 * The error of a command that did not exit with 0, for `reject: true`. The message says how the command
 * ended, then has its standard error, or else its output. With `encoding: 'buffer'`, it has only the standard
 * error. Like the errors of execa, it has a `shortMessage`.
 *
 * @example
 * try {
 *   await run('exit 3', { reject: true });
 * } catch (error) {
 *   if (error instanceof CommandError) console.log(error.result.exitCode); // 3
 * }
 */
export declare class CommandError extends Error {
  /**
   * @param result the result of the command
   * @param times the time limits of the command (ms), for the message
   */
  constructor(
    result: RunResult<Encoding>,
    times?: { timeout?: number | undefined; idleTimeout?: number | undefined },
  );
  readonly name: 'CommandError';
  /** The code of `result.error`, or `undefined`. */
  readonly code: string | undefined;
  /** The result of the command. With `encoding: 'buffer'`, it is a `RunResult<'buffer'>`. */
  readonly result: RunResult;
  /** The first line of the message: how the command ended. */
  readonly shortMessage: string;
}
