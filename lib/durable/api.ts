// Jobs that outlive the process that started them.

import type { SandboxLevel, SandboxOptions, SandboxPart } from '../options/surroundings/sandbox-api.ts';
import type { SignalName } from '../result/output-api.ts';

/** The options of durable jobs. See {@link JobsOptions.durable}. */
export interface DurableOptions {
  /**
   * Whose jobs they are: {@link Jobs.find} sees the jobs of the same owner and root. Default: the empty text.
   */
  owner?: string | undefined;
  /** The workspace of the jobs, the other part of their scope. Default: the working directory of Node.js. */
  root?: string | URL | undefined;
  /**
   * The directory of the jobs: each has a directory in it with its output and its end. Only this user may
   * have access to it. Default: `$XDG_STATE_HOME/agent-bash/jobs`, else `~/.local/state/agent-bash/jobs`.
   */
  directory?: string | URL | undefined;
  /** The longest run (ms), at most 30 days; {@link Job.extend} moves the end. Default 24 hours. */
  deadline?: number | undefined;
  /** The longest time without an attached process (ms), at most 30 days. Default 8 hours. */
  unattended?: number | undefined;
  /**
   * The time for which the output and the end stay on disk after the end (ms), at most 365 days. Default 7
   * days.
   */
  keep?: number | undefined;
  /**
   * The output of each job that is kept on disk (bytes), at least 1 MiB: the beginning and the latest part.
   * Default 64 MiB.
   */
  maxLogBytes?: number | undefined;
  /** `'logout'`: a job does not start where the log-out of the user would end it. Default: it starts. */
  survive?: 'logout' | undefined;
}

/** The durable jobs that {@link Jobs.find} returns. */
export interface DurableFilter {
  /** Only the jobs with this name. */
  name?: string | undefined;
  /** Only jobs that run (`true`) or that have ended (`false`). */
  running?: boolean | undefined;
  /** Whether the jobs of other owners and roots count too. Default false. */
  all?: boolean | undefined;
}

/** The facts of a durable job. Times are milliseconds since 1970. */
export interface DurableInfo {
  id: string;
  /** The command and its working directory, as they were given. */
  command: string;
  cwd: string;
  /** The name that {@link Jobs.ensure} gave it, or `null`. */
  name: string | null;
  owner: string;
  root: string;
  /** The version of agent-bash that started it. */
  version: string;
  /** `logout`: the job outlives the log-out of its user; `process`: only the process that started it. */
  survives: 'process' | 'logout';
  /** Why. */
  reason: string;
  /** The pid of the command while it runs. Afterwards it means nothing. */
  pid: number;
  startedAt: number;
  /** The end of the longest run. */
  endsAt: number;
  /** The number of attached processes. */
  attached: number;
  /** The length of the output, as the command wrote it (bytes). */
  totalBytes: number;
  /** The part of it that is no longer kept (bytes). */
  dropped: number;
  /** Whether an attached process can write to the command. */
  input: boolean;
  /** The size of its terminal at its start; `null` without one. */
  pty: { cols: number; rows: number } | null;
  /** Whether it runs on another machine that shares the directory, so that nothing is known of its life. */
  elsewhere: boolean;
  /** The sandbox that it was started with, which stays; `null` without one. */
  sandbox: DurableSandbox | null;
  /** The end of the job; `null` while it runs. */
  end: DurableEnd | null;
}

/** The sandbox of a durable job. What it has refused is in the result of the job. */
export interface DurableSandbox {
  /** The option `sandbox` of the start, as it was given. */
  options: SandboxLevel | SandboxOptions;
  level: SandboxLevel;
  mechanism: 'namespaces' | 'landlock';
  /** The requested parts that are applied, and those that are not. */
  applied: SandboxPart[];
  missing: SandboxPart[];
}

/** The end of a durable job, which is the same for each reader. */
export interface DurableEnd {
  /**
   * - `exit`: the command exited, or died by a signal of others; `kill`: `kill()`, an abort, or the system
   *   (see `reason`) ended it.
   * - `timeout`, `idle`: its `timeout` or `idleTimeout` was up; `deadline`, `unattended`: see
   *   {@link DurableOptions}.
   * - `lost`: the job was killed together with what watches over it, or the machine was restarted. How the
   *   command ended is not known.
   */
  cause: 'exit' | 'kill' | 'timeout' | 'idle' | 'deadline' | 'unattended' | 'lost';
  exitCode: number | null;
  signal: SignalName | null;
  at: number;
  /**
   * The reason of `lost`, such as `reboot` or `killed`; `system` if a log-out, a shutdown or the end of a
   * service was the `kill`; else `null`.
   */
  reason: string | null;
}
