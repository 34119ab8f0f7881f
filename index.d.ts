/// <reference types="node" />
// The types of agent-bash. Times are milliseconds, sizes are bytes, and an option of `undefined` counts as absent.

import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * The arguments of {@link bash}, as a model gives them. The command is the first of `command` and `cmd` that is a
 * string and not blank; it is not trimmed. Other properties are ignored.
 */
export interface BashArgs {
  /** The command. */
  command?: unknown;
  /** The command under the other name that models use. Read if `command` is no string or blank. */
  cmd?: unknown;
  [other: string]: unknown;
}

/**
 * Runs a command and resolves with its output and exit code, as text for a model.
 *
 * - Shell: `/bin/zsh -c`, else `/bin/bash -lc`, else `sh -c` from PATH. Standard input is empty. The environment is
 *   `process.env` at the time of the call.
 * - Answer: standard output, a line break if both streams have text, standard error, then `\n[Exit code: N]`. As in a
 *   shell, a death by signal n is the exit code 128 + n.
 * - Size: 102,400 bytes of UTF-8, then `\n[Output truncated at 100KB]`. The rest is read and dropped: the end
 *   of the output, where an error mostly is, and all of standard error behind a long standard output. `run()` keeps both ends.
 * - Time: 30,000 ms for the command and for every process that holds its output open. Then all of its processes get
 *   SIGTERM, SIGKILL after 5,000 ms, and the answer ends with `\n[Process timed out after 30s and was terminated]`.
 * - Safe mode: no shell, no expansions, and only git, grep, rg, find, ls, cat, head, tail, wc, pytest, `swift test`,
 *   `xcodebuild test` and `npm test`. Safe mode limits which program starts, not what the program does: `git` and
 *   `find` can run other programs. It is not a sandbox.
 *
 * The promise never rejects. Wrong arguments and failed launches resolve with a text that begins with `Error: `, such
 * as `Error: Failed to launch process: spawn /bin/zsh ENOENT` for a missing `workspaceRoot`. A pending call keeps
 * Node.js alive. A process that the command puts into the background with its output redirected (`nohup server >log
 * 2>&1 &`) runs on after the answer, as after any shell.
 *
 * @param args the command, as `{ command }` or `{ cmd }`
 * @param workspaceRoot the working directory, absolute or relative to `process.cwd()`; `''` is `process.cwd()`
 * @param safeMode whether only the programs of the list may run; default false
 *
 * @example
 * const answer = await bash({ command: 'git status --short' }, '/path/to/project', true);
 */
export function bash(
  args: BashArgs | null | undefined,
  workspaceRoot: string,
  safeMode?: boolean,
): Promise<string>;

/** The stream that a piece of output came from. */
export type StreamName = 'stdout' | 'stderr';

/** A piece of output. The text has whole characters only, and stands for at most about 64 KiB of bytes. */
export interface OutputChunk {
  stream: StreamName;
  text: string;
}

/** The name of a signal. Real-time signals (Linux), for which Node.js has no names, are `SIG34` to `SIG64`. */
export type SignalName = NodeJS.Signals | `SIG${number}`;

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
  /** The command took longer than `timeout` and goes on as a job. The result is the state so far. `run()` only. */
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
   * - `ABORT_ERR`: stopped before there was a process; `ETIMEDOUT`: the time was up before there was a process.
   * - `ECHILD`: other code in this process took the exit status of a command that ran.
   * - `NOT_ENDED`: a process could not be killed. `OUTPUT_LOST`: the output could not be read to its end. `INTERNAL`: a
   *   defect.
   * - {@link run} and {@link Jobs}: `CWD_` or `ROOT_` with `MISSING`, `NOT_DIRECTORY` or `NOT_ACCESSIBLE`, and
   *   `CWD_OUTSIDE`.
   * - {@link run}: `JOB_LIMIT` and `JOBS_DISPOSED`, if the command was ended because its table took no more jobs.
   * - `DENIED`, `DANGEROUS`, `NOT_APPROVED`, `UNPARSEABLE`: the `policy` does not allow the command.
   * - `PTY_UNAVAILABLE`: no terminal could be opened. `WAITING_FOR_INPUT`: `onWaiting: 'kill'` ended the command.
   * - {@link ShellSession}: `SESSION_START`, `SESSION_LOST`, `SESSION_CLOSED`.
   * - {@link BashJob}: `DENIED`, `MISSING_COMMAND`, `INVALID_SYNTAX`, `ERR_INVALID_ARG_VALUE`.
   */
  code: string;
  /** The reason for people, such as `spawn /bin/zsh ENOENT`. May change. */
  message: string;
}

/** The result of a command. An absent value is `null`. */
export interface RunResult {
  /** The command as given. An array is joined to one line, quoted for a POSIX shell. */
  command: string;
  /** The working directory. For {@link run} and {@link Jobs}, its real path if the command could be started there. */
  cwd: string;
  /** The way in which the command ended. */
  status: RunStatus;
  /** The exit code (0 to 255), or `null` if the process did not exit by itself. */
  exitCode: number | null;
  /** The signal that ended the process, or `null`. */
  signal: SignalName | null;
  /**
   * The kept standard output: for {@link run} and {@link Jobs} as `output` asks, for {@link BashJob} the first 102,404
   * bytes.
   */
  stdout: string;
  /** The kept standard error, likewise. Empty with `output.merge`. */
  stderr: string;
  /**
   * `stdout`, then `stderr` on a new line. Does not contain the end of the command: see `status`, `exitCode`,
   * `signal` and `error`. For {@link BashJob}: the answer of {@link bash} to the same command, which contains it.
   * With `output.view`: `view.text`.
   */
  output: string;
  /** Whether `stdout` or `stderr` lacks a part of what the command wrote. */
  truncated: boolean;
  /** The length of each stream as the command wrote it (bytes). */
  totalBytes: { stdout: number; stderr: number };
  /** The time from the start of the job to its end, or to this answer (ms). */
  durationMs: number;
  /**
   * The pid of the command, or `null` if there was no process. The system may have given it to another process since.
   */
  pid: number | null;
  /** The process group of the command, or `null` if there was no process. */
  processGroup: number | null;
  /**
   * The pids of the command's processes that still run, without `pid`. After the exit: all processes that outlive the
   * command. With `status: 'background'`: those that the command put into the background with `&` or in a session of
   * their own; the processes that its shell waits for are part of the job (`jobId`). macOS can't tell them apart, and
   * all pids are listed there.
   */
  backgroundPids: number[];
  /** The id of the background job (`job-7`), or `null` if the command is none. See {@link Jobs.get}. */
  jobId: string | null;
  /**
   * Where the output of this result ends: `jobs.read(jobId, cursor)` returns the output after it. `null` if the command
   * is no background job, or has nothing to read (`readBytes: 0`). With `output.stripAnsi`, this result has an
   * unfinished line as it is so far, and `read()` returns the line again when it is finished.
   */
  cursor: number | null;
  /** `spill.path`, or `null`. */
  spillPath: string | null;
  /** The file with all output, or `null` if none was asked for or nothing ran. */
  spill: Spill | null;
  /** The view of the output for a model; `null` unless `output.view` asked for it, or if nothing ran. */
  view: View | null;
  /** The resources that the command and the children it waited for used; `null` if unknown, as on macOS. */
  usage: Usage | null;
  /** The failure of agent-bash or of the launch, or `null`. A non-zero exit is no error: see `exitCode`. */
  error: RunError | null;
  /** The decision of the `policy`; `null` without one. */
  decision: Decision | null;
  /** The exit statuses of the pipeline's stages, or `null` if they are not known. Only with {@link RunOptions.pipeStatus}. */
  pipeStatus?: number[] | null;
}

/** The file with all output of a command. See {@link OutputOptions.spill}. */
export interface Spill {
  /** The absolute path, also if the file could not be created: see `error`. Only the current user can read the file. */
  path: string;
  /** The size of the file (bytes). */
  bytes: number;
  /** Whether the file has everything that the command wrote. */
  complete: boolean;
  /**
   * The error that prevented the creation of the file or a write, or `null`; also `null` if the file reached `maxBytes`. The
   * command runs regardless.
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
   * The peak memory (resident set) of the largest process (bytes), or `null` below the peak of Node.js itself: a new
   * process begins in the memory of its parent, and the kernel counts that memory in.
   */
  maxRssBytes: number | null;
}

/** The options that {@link run} and {@link Jobs.start} share. An option of `undefined` counts as absent. */
export interface CommandOptions {
  /**
   * The rules that decide whether the command may run: see {@link check}. A command that may not run gets the status
   * `denied`, and nothing is started. With a policy, `shell: 'auto'` is `/bin/bash -lc`, else `sh -c`, never zsh. The
   * policy does not judge later writes to the standard input of the command.
   */
  policy?: Policy | undefined;
  /**
   * Decides about a command for which the verdict of the policy is `ask`; without it, such a command is denied. The
   * command's timeouts start after the answer. The signal fires when the command is aborted or killed meanwhile. An
   * exception counts as a denial.
   */
  approve?: Approve | undefined;
  /**
   * A decision of {@link check} that allows the command, or whose `ask` the caller has approved. The command runs only if
   * the decision's `token` is for it: the same bytes, directory, shell, environment and policy.
   */
  decision?: Decision | undefined;
  /**
   * The working directory: a path or a `file:` URL, relative to `root`, or else to `process.cwd()`. Default: that
   * directory itself. As with `child_process`, the kernel resolves the path: `link/..` is the parent of the link's
   * target.
   */
  cwd?: string | URL | undefined;
  /**
   * The directory that must contain `cwd`, by real paths: symbolic links do not lead out of it. A path or a `file:`
   * URL, relative to `process.cwd()`. A `cwd` outside fails with `CWD_OUTSIDE`. `root` says where the command starts,
   * not what it may touch: it is not a sandbox. Default: none.
   */
  root?: string | URL | undefined;
  /**
   * Environment variables on top of the others; `undefined` removes a variable. Names have letters, digits and `_`. As
   * in execa.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether the command inherits `process.env`, as it is at the call. Default true. As in execa. */
  extendEnv?: boolean | undefined;
  /**
   * Whether to add {@link nonInteractiveEnv}, which overrides `process.env` and is overridden by `env`, and to remove from
   * `process.env` what forces colours (`FORCE_COLOR`, `CLICOLOR_FORCE`) or names another editor (`KUBE_EDITOR`). Default false.
   */
  nonInteractive?: boolean | undefined;
  /**
   * The program that reads the command:
   *
   * - `'auto'` (default): `/bin/zsh -c`, else `/bin/bash -lc`, else `sh -c` from PATH, as {@link bash};
   * - a path, which is called with `-c`; or a path and flags, such as `['/bin/bash', '-euo', 'pipefail', '-c']`;
   * - `false`: no shell. A string is split into words as a POSIX shell does it, without expansions.
   *
   * A command that is an array is a program and its arguments, and takes no other value than `false`.
   *
   * A command above 131,071 bytes needs a POSIX shell by its usual name; any other program fails with `E2BIG`.
   */
  shell?: 'auto' | (string & {}) | readonly string[] | false | undefined;
  /** The whole standard input. Text is sent as UTF-8. Default: empty, as from `/dev/null`. As in execa. */
  input?: string | NodeJS.ArrayBufferView | undefined;
  /**
   * Whether the command runs in a terminal (a pseudoterminal, as in node-pty). All of its streams are that terminal:
   * `stderr` is empty, {@link Job.write} is what a user types, and {@link Job.screen} what a user sees. Not with `input`,
   * `stdin`, `output.merge` and `warm`. `TERM` is set; `COLUMNS` and `LINES` are not inherited. Default false.
   *
   * A process that a command leaves running when it exits gets SIGHUP if it is in the terminal's foreground, as when a window is
   * closed. If no terminal can be opened, the `error.code` is `PTY_UNAVAILABLE`.
   */
  pty?: boolean | PtyOptions | undefined;
  /**
   * The longest time of the command, from the call on (ms). At the limit it is ended; see also `onTimeout`. Default
   * 0: no limit.
   */
  timeout?: number | undefined;
  /** The longest time without output, after which the command is ended (ms). Default 0: no limit. */
  idleTimeout?: number | undefined;
  /**
   * Ends the command with the status `aborted`. If the signal fired before the call, nothing starts. As in
   * `child_process`.
   */
  signal?: AbortSignal | undefined;
  /**
   * The signal that `timeout`, `idleTimeout`, `signal` and `kill()` send first. Default `SIGTERM`. As in
   * `child_process`.
   */
  killSignal?: SignalName | number | undefined;
  /** The delay between `killSignal` and SIGKILL (ms); `false` for no SIGKILL. Default 5,000. As in execa. */
  forceKillAfterDelay?: number | false | undefined;
  /**
   * The treatment of processes that still run after the exit of the command: `'keep'` (default) lets them run, `'kill'`
   * ends them.
   */
  background?: 'keep' | 'kill' | undefined;
  /**
   * The limits of the wait, after the exit, for output that other processes hold open. `'end'`: until all have closed
   * it, or `timeout` ends them. Default `{ idle: 100, max: 2000 }` (ms).
   */
  drain?: 'end' | DrainOptions | undefined;
  /** The kept part of the output, and its form. */
  output?: OutputOptions | undefined;
  /** Resource limits for each process of the command (`setrlimit`). Default: those of Node.js. */
  limits?: LimitOptions | undefined;
  /**
   * Whether a shell that was started ahead may run the command, so that its start files cost no time. Default false.
   *
   * The shell must be bash or zsh, without input for the command. The command must be simple: words, quotes, variables,
   * `$(…)`, pipes, lists and redirections (in zsh on one line), at most 8 KiB. Any other command runs as without this
   * option. A warm shell has the directory, environment and limits of this call, is used once, and is replaced in the
   * background; see {@link prewarm}.
   *
   * docs/warm-shells.md lists what a command can notice. Above all, if signal n ends the last program of the
   * command, the result has the `exitCode` 128 + n, and `signal` is null.
   */
  warm?: boolean | undefined;
}

/** A terminal. A value of `undefined` is an absent one. */
export interface PtyOptions {
  /** The number of columns; the nearest of 2 to 1,000 counts. Default 80. */
  cols?: number | undefined;
  /** The number of lines; the nearest of 1 to 500 counts. Default 24. */
  rows?: number | undefined;
  /** The name of the terminal (`TERM`), as far as `env` has no other name. Default `xterm-256color`. */
  term?: string | undefined;
  /**
   * The most lines kept that have left the screen at its top, from 0 to 100,000. Default 1,000. They take 24 bytes
   * for each character while the job runs, 32 MiB at most.
   */
  scrollback?: number | undefined;
}

/** The limits of the wait for output after the exit. */
export interface DrainOptions {
  /** The time without output after which the wait ends (ms). Default 100. */
  idle?: number | undefined;
  /** The longest wait in all (ms). Default 2,000. */
  max?: number | undefined;
}

/** The kept part of a command's output, and its form. */
export interface OutputOptions {
  /**
   * The most that is kept of each stream (bytes as written; of the plain text with `stripAnsi`), from 0 to
   * 67,108,864. Default 1,048,576. The text can be longer: the marker comes on top, and an invalid byte becomes a
   * U+FFFD of three bytes.
   */
  maxBytes?: number | undefined;
  /** The part of a longer stream that is kept: its beginning, its end, or both with a marker in between (default). */
  keep?: 'head' | 'tail' | 'both' | undefined;
  /** With `keep: 'both'`, the part of `maxBytes` for the beginning (bytes). Default: half. */
  headBytes?: number | undefined;
  /**
   * The place of a cut: at the end of a line if one is near (default), or exactly at the limit. Characters are never
   * cut.
   */
  cut?: 'line' | 'character' | undefined;
  /** Whether both streams are one, as with `2>&1`: `stdout` has both in the order of writing. Default false. */
  merge?: boolean | undefined;
  /** Whether to keep text as a terminal would show it: without colours and overwritten lines. Default false. */
  stripAnsi?: boolean | undefined;
  /**
   * The text in place of the missing part. In it, `{bytes}` and `{lines}` become the size of the missing part, and
   * `{total}` the size of the stream (bytes; of the plain text with `stripAnsi`). At most 10,000 characters. Default: a
   * line with these numbers.
   */
  marker?: string | undefined;
  /** Whether all output also goes to a file; see {@link RunResult.spill}. Default false. */
  spill?: boolean | SpillOptions | undefined;
  /**
   * Whether the result has a {@link View}: the lines that matter, within a budget. It does not change `stdout` and
   * `stderr`. Both streams are one there, in the order in which they were read; `merge` makes that exact. Default false.
   */
  view?: boolean | ViewOptions | undefined;
}

/** The options of a {@link View}. */
export interface ViewOptions {
  /** The most that the text may have (bytes of UTF-8), markers included, from 200 to 1,048,576. Default 16,000. */
  maxBytes?: number | undefined;
  /** The share of `maxBytes` that the beginning gets at least, from 0 to 0.5. Default 0.10. */
  head?: number | undefined;
  /** The share of `maxBytes` that the end gets at least, from 0 to 0.9. Default 0.15. */
  tail?: number | undefined;
  /**
   * The number of lines around an important one that rank with it, from 0 to 100 each. Default 2 before and 4 after.
   */
  context?: { before?: number | undefined; after?: number | undefined } | undefined;
  /** Texts: a line that contains one ranks above all others. At most 100, of 1 to 1,000 characters. Case counts. */
  important?: readonly string[] | undefined;
  /** Whether a run of at least five lines of one form is folded at the beginning and at the end. Default true. */
  fold?: boolean | undefined;
  /**
   * Whether the last line of an incomplete view reports the size of the output and the way to read the rest. Default
   * true.
   */
  footer?: boolean | undefined;
  /** Whether a line of the output that begins like a marker (`[line`, `[output`) gets a space in front. Default false. */
  escape?: boolean | undefined;
}

/** The view of an output for a model. Lines are counted from 1, as in the file of `spill`. */
export interface View {
  /** The lines that matter, in order, with markers for the rest; whole if it fits. Never longer than `maxBytes`. */
  text: string;
  /** The number of lines of the output. */
  lines: number;
  /** The size of the output (bytes as written). */
  bytes: number;
  /** The lines that are shown, in order: first and last of each run. */
  shown: [from: number, to: number][];
  /** The lines that are left out. With `shown` they are all lines, each once. */
  leftOut: LeftOut[];
  /** Whether all lines are shown whole. */
  complete: boolean;
}

/** A run of lines that a {@link View} does not show. */
export interface LeftOut {
  from: number;
  to: number;
  /** The number of lines. */
  lines: number;
  /** The size of the lines with their line breaks (bytes as written). */
  bytes: number;
  /** The number of the shown line before them, from which all of them differ in numbers only. */
  like?: number;
}

/** The file for all output. */
export interface SpillOptions {
  /**
   * The directory of the file, created if missing. Default: a private directory below `os.tmpdir()`, or elsewhere if
   * that is inside `root`. The private directory is removed with its files when Node.js ends by itself.
   */
  directory?: string | URL | undefined;
  /** The largest size of the file (bytes). Default 1,073,741,824. */
  maxBytes?: number | undefined;
  /**
   * The size of the output up to which no file is created, and `spill` is null (bytes, at most 1,048,576). Default 0: a
   * file for any output, also for none.
   */
  above?: number | undefined;
}

/** Resource limits for each process of a command, as of `setrlimit`. All are integers above 0, except `cpu`. */
export interface LimitOptions {
  /** Address space (bytes): `RLIMIT_AS`. */
  memory?: number | undefined;
  /** Processes and threads of the user in total: `RLIMIT_NPROC`. Not enforced for root. */
  processes?: number | undefined;
  /** The size of a written file (bytes): `RLIMIT_FSIZE`. A write beyond it raises SIGXFSZ. */
  fileSize?: number | undefined;
  /** Processor time (ms, rounded up to seconds): `RLIMIT_CPU`. At the limit SIGXCPU, a second later SIGKILL. */
  cpu?: number | undefined;
  /** Open descriptors: `RLIMIT_NOFILE`. */
  openFiles?: number | undefined;
}

/** The options of {@link run}. */
export interface RunOptions extends Omit<CommandOptions, 'background'> {
  /**
   * The effect of `timeout`: the command is ended (default), or goes on as a job of `jobs`, and {@link run} resolves
   * with the output so far, `status: 'background'` and a `jobId`. With `'background'`, a timeout of 0 means at once.
   */
  onTimeout?: 'kill' | 'background' | undefined;
  /** The longest time of the command in the background (ms). Default 0: no limit. */
  backgroundTimeout?: number | undefined;
  /**
   * The treatment of processes that still run after the exit of the command: `'keep'` (default) lets them run, `'kill'`
   * ends them, `'adopt'` makes them a job of `jobs`, and the result has its `jobId`.
   */
  background?: 'keep' | 'kill' | 'adopt' | undefined;
  /**
   * Whether to reject with a {@link CommandError} unless the exit code is 0. A command that goes on in the background
   * does not reject. Default false. As in execa, where the default is true.
   */
  reject?: boolean | undefined;
  /** The table for a command that goes on as a job. Default {@link jobs}. */
  jobs?: Jobs | undefined;
  /**
   * The reaction when the command waits for input, as {@link Job.waiting} reports it. `'eof'` ends the input; in a terminal, this
   * types Ctrl-D at each wait. `'kill'` ends the command as at its timeout, with status `timeout` and `error.code`
   * `WAITING_FOR_INPUT`. Default: none. Has an effect only with `pty`, on Linux.
   */
  onWaiting?: 'eof' | 'kill' | undefined;
  /**
   * Whether the result has the exit statuses of all stages of the pipeline in which the command ends, in bash and zsh.
   * Default false. `null` for a command that does not surely end in a pipeline of two or more (`a | b; c`, `a | b &`, a
   * here-document, a trap, `set -x`), for words without a shell, for other shells, and where the shell has ended before.
   */
  pipeStatus?: boolean | undefined;
}

/** The options of {@link Jobs.start}. */
export interface JobOptions extends CommandOptions {
  /**
   * `'pipe'`: {@link Job.write} and {@link Job.stdin} write the standard input. Not with `input`. Default `'empty'`.
   */
  stdin?: 'empty' | 'pipe' | undefined;
  /**
   * The reaction when the job waits for input: `'event'` (default) only emits the event `waiting`; `'eof'` ends the input, and
   * `'kill'` ends the job, as with {@link RunOptions.onWaiting}. Has an effect only with `pty` or `stdin: 'pipe'`.
   */
  onWaiting?: 'event' | 'eof' | 'kill' | undefined;
}

/**
 * Runs a command to its end.
 *
 * A shell reads a string (see `shell`); an array is a program and its arguments, without a shell. A pending call
 * keeps Node.js alive. Unlike in execa, a command that fails, can't be started or is killed does not reject unless
 * `reject` is true: see `status` of the result.
 *
 * With `onTimeout: 'background'` or `background: 'adopt'`, the command may go on as a {@link Job} of a table. `signal`
 * no longer reaches such a job, and the job does not keep Node.js alive. If the table is full, the command is ended
 * with the `error.code` `JOB_LIMIT`.
 *
 * @returns the result. With `spill`, `await using` removes the file; otherwise the file stays until its job is
 *   forgotten or Node.js ends.
 * @throws TypeError (as a rejection) with code `ERR_INVALID_ARG_VALUE` for a blank command, and for a wrong or unknown
 *   option, which it names; {@link CommandError} (as a rejection) with `reject`
 *
 * @example
 * const { status, exitCode, stdout } = await run('npm test', { cwd: '/path/to/project', timeout: 120_000 });
 * const { stdout: head } = await run(['git', 'rev-parse', 'HEAD'], { reject: true });
 */
export function run(
  command: string | readonly string[],
  options: RunOptions & { output: { spill: true | (SpillOptions & { above?: undefined }) } },
): Promise<RunResult & AsyncDisposable>;
export function run(command: string | readonly string[], options?: RunOptions): Promise<RunResult>;

/** The options of {@link prewarm}: those of the commands to come. */
export interface PrewarmOptions
  extends Pick<CommandOptions, 'cwd' | 'root' | 'env' | 'extendEnv' | 'nonInteractive' | 'shell' | 'limits'> {
  /** Whether the commands will have `output: { merge: true }`. Default false. */
  merge?: boolean | undefined;
  /** The number of shells that wait, from 1 to 16. Default 1. */
  count?: number | undefined;
}

/**
 * Starts shells ahead, for commands of {@link run} and {@link Jobs} with `warm: true` and the same options. Without it,
 * the first such command starts the first shell.
 *
 * A waiting shell takes about 4 MB of memory. It ends after 5 minutes, with the worker, or with Node.js. At most 16
 * wait at the same time; a new one replaces the oldest.
 *
 * @returns whether shells of this kind can wait: bash and zsh with the usual flags can
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong or unknown option, which it names
 */
export function prewarm(options?: PrewarmOptions): boolean;

/**
 * The state of the guardian, the process that ends all commands when Node.js is killed. Part of {@link diagnostics}.
 */
export interface GuardianDiagnostics {
  /**
   * - `idle`: no command has been started yet; the guardian starts with the first one.
   * - `starting`: the guardian is being started.
   * - `running`: the guardian watches.
   * - `stopped`: the guardian was killed, or the system had no process for it. It starts again within a second, or with
   *   the next command.
   * - `missing`: its program is missing or can't be run; see `error`. Commands still run. If Node.js is killed by
   *   SIGKILL, the process of each command ends on Linux, but processes that it started may keep running.
   */
  state: 'idle' | 'starting' | 'running' | 'stopped' | 'missing';
  /** The path of the guardian's program, which is beside the addon. */
  path: string;
  /**
   * The error that keeps the guardian from running, or `null`. The code is `HELPER_MISSING` (missing, not executable,
   * or for another processor), `HELPER_VERSION` (of another version than the addon), or that of the system, such as
   * `EAGAIN`.
   */
  error: { code: string; message: string } | null;
}

/** The result of {@link diagnostics}. */
export interface Diagnostics {
  guardian: GuardianDiagnostics;
}

/** Returns the state of the guardian of this process. Starts nothing and does not wait. */
export function diagnostics(): Diagnostics;

/**
 * Environment variables that keep programs from prompting, paging, opening an editor and colouring: `PAGER=cat`,
 * `GIT_TERMINAL_PROMPT=0`, `CI=true`, `TERM=dumb`, an `EDITOR` that fails with a message, and others. Frozen. The option
 * `nonInteractive` applies them; use this constant to compose an environment yourself.
 */
export const nonInteractiveEnv: Readonly<Record<string, string>>;

/**
 * The error of a command that did not exit with 0, for `reject: true`. The message says how the command ended, then has
 * its standard error, or else its output. Like the errors of execa, it has a `shortMessage`.
 */
export class CommandError extends Error {
  /**
   * @param result the result of the command
   * @param times the time limits of the command (ms), for the message
   */
  constructor(result: RunResult, times?: { timeout?: number | undefined; idleTimeout?: number | undefined });
  readonly name: 'CommandError';
  /** The code of `result.error`, or `undefined`. */
  readonly code: string | undefined;
  /** The result of the command. */
  readonly result: RunResult;
  /** The first line of the message: how the command ended. */
  readonly shortMessage: string;
}

/** The options of {@link BashJob}. */
export interface BashJobOptions {
  /** As {@link CommandOptions.policy}: with a policy the shell is `/bin/bash -lc`, else `sh -c`. */
  policy?: Policy | undefined;
  /** As {@link CommandOptions.approve}. */
  approve?: Approve | undefined;
  /** As {@link CommandOptions.decision}. */
  decision?: Decision | undefined;
  /** The timeout of the command (ms). Default 30,000; 0 for no limit. */
  timeout?: number | undefined;
  /** Ends the job: SIGTERM, and SIGKILL after 5,000 ms. If the signal fired before the call, nothing starts. */
  signal?: AbortSignal | undefined;
  /** Whether `result` has a view; then `result.output` is its text. */
  output?: { view?: boolean | ViewOptions | undefined } | undefined;
  /** Whether the command runs in a terminal; see {@link CommandOptions.pty}. Default false. */
  pty?: boolean | PtyOptions | undefined;
}

/** The screen of a terminal. */
export interface Screen {
  /** The visible lines from the top, each without the blanks at its end. */
  lines: string[];
  /** `scrollback` and `lines` as one text, without empty lines at its end. */
  text: string;
  /** The position of the cursor, both from 0, and whether it is shown. */
  cursor: { row: number; column: number; visible: boolean };
  cols: number;
  rows: number;
  /** Whether it is the alternate screen, which full-screen programs use and leave. */
  alternate: boolean;
  /** The title that the program has set; empty for none. */
  title: string;
  /** Whether the program wants pasted text between `ESC [200~` and `ESC [201~`. */
  bracketedPaste: boolean;
  /** The latest lines that have left the screen at its top, as many as the call asked for. */
  scrollback: string[];
  /** The number of such lines that are kept. */
  scrollbackLines: number;
  /** A number that grows with each change of the screen: two screens with the same revision are equal. */
  revision: number;
}

/** The options of {@link Job.waitForScreen}. A value of `undefined` is an absent one. */
export interface WaitForScreenOptions {
  /** The longest wait (ms), up to 2,147,483,647. Default 30,000. The job runs on. */
  timeout?: number | undefined;
  /** With `'idle'`: the time without a change (ms). Default 200. */
  idle?: number | undefined;
  /** Ends the waiting, not the job. */
  signal?: AbortSignal | undefined;
}

/** The result of {@link Job.waitForScreen}. */
export interface WaitForScreenResult {
  /**
   * `matched`: the screen has the text. `idle`: the screen does not change. `exited`: the job is over, without the
   * text.
   */
  status: 'matched' | 'idle' | 'timeout' | 'exited' | 'aborted';
  /** The screen at the end of the wait. */
  screen: Screen;
  /** The match, with the groups of the expression; or `null`. A group that has no part in it is `undefined`. */
  match: Array<string | undefined> | null;
}

/** A job that waits for input. */
export interface InputWait {
  /**
   * - `line`: a line that the terminal echoes;
   * - `password`: a line that the terminal does not echo;
   * - `keys`: single keys, as for full-screen programs and prompts with a history;
   * - `pipe`: data, with `stdin: 'pipe'`.
   */
  kind: 'line' | 'password' | 'keys' | 'pipe';
  /**
   * The system call that a thread of the program sleeps in: `read` reads the input, `poll` waits for it, perhaps
   * among other descriptors.
   */
  how: 'read' | 'poll';
  /** The longest time of the wait (ms); `null` if no limit is known. */
  timeout: number | null;
  /** Whether the same process listens on a TCP socket: a server that also takes keys. Such a wait emits no event. */
  listening: boolean;
  /**
   * Whether the kernel showed the wait. False for a program of another user (`sudo` when Node is not root), for which
   * the mode of its terminal shows that it asks for a password.
   */
  certain: boolean;
  /** The pid of the process that waits. */
  pid: number;
  /** The name of the process's program: `python3`, `vim`. */
  program: string;
  /** The last unfinished line of the output; in a terminal the line of the cursor. */
  prompt: string;
}

/** The conditions that {@link Job.ready} waits for: a port, a pattern, or both. A value of `undefined` is an absent one. */
export interface ReadyOptions {
  /** A TCP port on which a process of the job listens, from 1 to 65,535; `true` for any. Linux. */
  port?: number | true | undefined;
  /** A pattern in the output of either stream: text, or an expression that is tried on each line of the plain text. */
  pattern?: RegExp | string | undefined;
  /** The longest wait (ms), up to 2,147,483,647. Default 30,000. The job runs on. */
  timeout?: number | undefined;
  /** Ends the waiting, not the job. */
  signal?: AbortSignal | undefined;
}

/** The result of {@link Job.ready}. */
export interface ReadyResult {
  /** `ready`: all conditions hold. `exited`: the job is over, and they don't. */
  status: 'ready' | 'timeout' | 'exited' | 'aborted';
  /** The requested ports that the job listens on, in rising order. */
  ports: Array<{ port: number; address: string; pid: number }>;
  /** The match, with the groups of the expression; or `null`. */
  match: Array<string | undefined> | null;
  /** The time from the call on (ms). */
  durationMs: number;
}

/** The events of a {@link Job} and the arguments of their listeners. */
export interface JobEvents {
  /**
   * The process runs, and `pid` is known. Once, before `exit`, and as in `child_process` not after a failed launch. Also for
   * a first listener that is added later.
   */
  spawn: [];
  /** A chunk of output. Never after `exit`. */
  data: [chunk: string, stream: StreamName];
  /**
   * The end, once. As in `child_process`, `code` is `null` after a death by signal, and `signal` is `null` otherwise.
   * The type of `signal` is that of `child_process` too, so that its listeners compile; `result.signal` has the type
   * with real-time signals.
   */
  exit: [code: number | null, signal: NodeJS.Signals | null, result: RunResult];
  /**
   * The job has begun to wait for input, once for each wait; output or input ends a wait. Only with a terminal or
   * `stdin: 'pipe'`, on Linux.
   */
  waiting: [wait: InputWait];
}

/** The events of a {@link BashJob}. */
export type BashJobEvents = JobEvents;

/**
 * The message of the channel `agent-bash:command:start` of `node:diagnostics_channel`: a command was started.
 * Published in the asynchronous context of the caller. It never has output, input or environment.
 */
export interface CommandStartMessage {
  /** The id of the command, unique within the main thread or worker: that of its job, if there is one. */
  id: string;
  command: string;
  /** The id of the {@link ShellSession}, for a command of one. */
  sessionId?: string | undefined;
  /** The dialect, the name of the tool and the SDK's id of the call, for a command of a tool. */
  dialect?: string;
  tool?: string;
  callId?: string | undefined;
}

/**
 * The message of the channel `agent-bash:command:end`: a command of which the start was published is over.
 */
export interface CommandEndMessage extends CommandStartMessage {
  cwd: string;
  status: RunStatus;
  exitCode: number | null;
  signal: SignalName | null;
  pid: number | null;
  durationMs: number;
  /** The code of the result's `error`, or `null`. */
  errorCode: string | null;
}

/** The output of a job from a cursor on. */
export interface JobOutput {
  /** The text of all chunks together. */
  text: string;
  /** The chunks of both streams, in the order in which they were read. */
  chunks: OutputChunk[];
  /** Where the output ends: `since` for the next call (bytes of UTF-8 from the start of the job). */
  cursor: number;
  /** The length of the output between `since` and the first chunk, which is no longer kept (bytes). */
  dropped: number;
}

/**
 * A running command. {@link Jobs.start} and {@link BashJob} make jobs, and {@link run} may turn its command into one.
 *
 * Listeners that are added in the same turn of the event loop as the job miss nothing. Later listeners and readers get
 * the output from then on; `result` has all of it, up to its limit.
 *
 * A job emits no `error` event for a failed command: a failed launch is an `exit` whose result has `error`. When
 * Node.js ends, its jobs are killed, unless their table has `onHostExit: 'leave'`.
 *
 * Events go through `emit()`, and `EventEmitter.captureRejections` applies. Unlike with other emitters, a listener of
 * `data` or `exit` that throws does not keep the other listeners from running; its error is an uncaught exception.
 *
 * As with `child_process`, listeners run in the asynchronous context (`AsyncLocalStorage`) of the caller that started
 * the job, and callbacks of `stdin.write()` and `stdin.end()` in that of their caller.
 */
export abstract class Job
  extends EventEmitter<JobEvents>
  implements AsyncIterable<OutputChunk>, AsyncDisposable
{
  /** Jobs are made by {@link Jobs.start}, {@link run} and {@link BashJob}. */
  protected constructor();

  /** The id of the job, unique within the main thread or worker: `job-1`, `job-2`, … */
  readonly id: string;

  /** The command, as in {@link RunResult.command}. */
  readonly command: string;

  /**
   * The pid; `null` until the launch is done (see the event `spawn`), also while `status` is `running`, and for a job that had
   * no process.
   */
  readonly pid: number | null;

  /** The state: `starting` until the launch is queued, then `running`, and at last how the job ended. */
  readonly status: 'starting' | 'running' | RunStatus;

  /**
   * Whether {@link run} has resolved and the command goes on as this job. Such a job does not keep Node.js alive,
   * unless `ref()` is called, `result` is read, or {@link Jobs.wait} waits for it.
   */
  readonly isBackground: boolean;

  /** The result, at the end. Never rejects. */
  readonly result: Promise<RunResult>;

  /** The standard input as a Node.js stream that buffers 64 KiB. `null` without `stdin: 'pipe'`. */
  readonly stdin: Writable | null;

  /**
   * Writes to the standard input. The queue has no limit; {@link Job.stdin} has backpressure. A command that does not
   * read its input is no error: the rest is dropped.
   *
   * @returns whether the chunk was queued; false without `stdin: 'pipe'`, after `end()`, and after the end of the job
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE` if the chunk is neither text nor bytes
   */
  write(chunk: string | Uint8Array): boolean;

  /**
   * Ends the standard input after what was written before, and after this chunk. In a terminal, it types Ctrl-D, twice
   * after an unfinished line, and the terminal stays open.
   */
  end(chunk?: string | Uint8Array): void;

  /**
   * Returns the output of a job in a table, while the job runs and until it is forgotten. The table keeps the last
   * `readBytes`. Reading removes nothing. A {@link BashJob} keeps nothing to read.
   *
   * @param since the `cursor` of the last call (bytes); default 0, the start of the job
   * @throws Error with code `JOB_NOT_FOUND` if the job is forgotten; TypeError with code `ERR_INVALID_ARG_VALUE` for a
   *   wrong `since`
   */
  read(since?: number): JobOutput;

  /**
   * Returns the screen of the job's terminal now, or at its end.
   *
   * @param options how many lines that have left the screen are wanted (`scrollback`, default 0)
   * @throws Error with code `NO_TERMINAL` for a job without `pty`, `JOB_NOT_FOUND` when the job is forgotten
   */
  screen(options?: { scrollback?: number | undefined }): Screen;

  /**
   * Changes the size of the job's terminal; the nearest of 2 to 1,000 and 1 to 500 counts. The program gets SIGWINCH.
   *
   * @returns whether the job was live
   * @throws Error as {@link Job.screen}; TypeError with code `ERR_INVALID_ARG_VALUE` for a size that is no integer
   */
  resize(cols: number, rows: number): boolean;

  /**
   * Waits until the screen shows a text or matches an expression (tried on `text`), or, with `'idle'`, until nothing
   * changes for a while. A pending call keeps Node.js alive. `waiting()` reports whether the program waits for input.
   *
   * @throws Error (as a rejection) as {@link Job.screen}; TypeError with code `ERR_INVALID_ARG_VALUE`
   */
  waitForScreen(
    pattern: RegExp | 'idle' | (string & {}),
    options?: WaitForScreenOptions,
  ): Promise<WaitForScreenResult>;

  /**
   * Resolves with the wait of the job for input now; `null` if it does not wait, or has no input. The answer comes
   * from the kernel, which shows the system calls that the job's threads sleep in (checked twice, 30 ms apart), and
   * not from a guess at prompts. See the event `waiting`.
   *
   * @throws Error (as a rejection) with code `ENOTSUP` where the system does not show system calls (macOS)
   */
  waiting(): Promise<InputWait | null>;

  /**
   * Waits until a process of the job listens on a port, or its output matches a pattern. The output is searched from
   * its start, as far as {@link Job.read} has it (a {@link BashJob}: from now on). A pending call keeps Node.js alive
   * and never ends the job.
   *
   * @throws TypeError (as a rejection) with code `ERR_INVALID_ARG_VALUE`; with code `ENOTSUP` for a port on macOS
   */
  ready(options: ReadyOptions): Promise<ReadyResult>;

  /**
   * Sends a signal to the whole job: its process, process group, session, and all descendants.
   *
   * SIGTERM, SIGKILL and the job's `killSignal` end the job; SIGKILL follows after `forceKillAfterDelay` (5,000 ms).
   * Any other signal is only delivered. In a terminal, a process that ignores the ending signal, such as an interactive
   * shell, also gets SIGHUP. As in `child_process`, each call sends its signal, and signal 0 sends nothing and tests
   * whether the job runs.
   *
   * @param signal a name or a number; default: the job's `killSignal`, which is `SIGTERM` by default
   * @returns whether the job still ran
   * @throws TypeError with code `ERR_UNKNOWN_SIGNAL`
   */
  kill(signal?: SignalName | number): boolean;

  /** Keeps Node.js alive until the job ends, as in `child_process`. The default. */
  ref(): this;

  /** Lets Node.js end while the job runs, which kills the job, unless its table has `onHostExit: 'leave'`. */
  unref(): this;

  /**
   * Reads the output from now on, both streams in the order in which they were read. A reader that falls behind by 256
   * Ki characters slows the command down. `break` ends the reading, not the job.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<OutputChunk>;

  /** Ends the job as `kill()` does, and waits for its end. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A command whose output comes while it runs. It takes the arguments of {@link bash}, and its `result.output` is the
 * answer of {@link bash}.
 *
 * The command starts in the next microtask. Listeners that are added before the next turn of the event loop miss
 * nothing of the first 256 KiB.
 *
 * @example
 * const job = new BashJob({ command: 'npm test' }, '/path/to/project', false, { timeout: 120_000 });
 * job.on('data', (chunk, stream) => process[stream].write(chunk));
 * job.on('exit', (code, signal) => console.log(code ?? signal));
 */
export class BashJob extends Job {
  /**
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong or unknown option, which it names. Wrong arguments
   *   do not throw: as with {@link bash}, they are in the result.
   */
  constructor(
    args: BashArgs | null | undefined,
    workspaceRoot: string,
    safeMode?: boolean,
    options?: BashJobOptions,
  );
}

/** The options of {@link Jobs}. An option of `undefined` counts as absent. */
export interface JobsOptions {
  /** The most jobs that may run at the same time, at least 1. Default 15. */
  maxRunning?: number | undefined;
  /** The time for which a finished job is kept (ms), at most 2,147,483,647. Default 300,000. */
  retention?: number | undefined;
  /** The most finished jobs that are kept; the one that ended first is forgotten first. Default 100. */
  maxFinished?: number | undefined;
  /**
   * The most memory of finished jobs (bytes): the text of their results, and the text for `read()`. The job that
   * ended first is forgotten first; the job that ended last stays, however large. Default 67,108,864.
   */
  maxFinishedBytes?: number | undefined;
  /**
   * The treatment of running jobs when Node.js ends: `'kill'` (default) ends them, even if Node.js is killed; `'leave'`
   * lets them run. `'leave'` applies from its start to each command of {@link run} that may become a job of this table.
   */
  onHostExit?: 'kill' | 'leave' | undefined;
  /** The latest output of each job that is kept for `read()` (bytes), from 0 to 268,435,456. Default 1,048,576. */
  readBytes?: number | undefined;
}

/** The options of {@link Jobs.wait}. An option of `undefined` counts as absent. */
export interface WaitOptions {
  /** Whether to wait for all jobs (default) or for any. A job that has already ended counts. */
  mode?: 'all' | 'any' | undefined;
  /** The longest wait (ms), at most 2,147,483,647; 0 returns at once. The jobs run on. Default: no limit. */
  timeout?: number | undefined;
  /** Ends the wait, not the jobs. */
  signal?: AbortSignal | undefined;
}

/** The result of {@link Jobs.wait}. */
export interface WaitResult {
  /** The result of the wait: `done` if all (or any) of the jobs have ended. */
  status: 'done' | 'timeout' | 'aborted';
  /** The results of the jobs that have ended, in the order of the ids. Each has its `jobId`. */
  finished: RunResult[];
  /** The ids of the jobs that still run, in the order of the ids. */
  pending: string[];
}

/**
 * A table of background jobs: those that {@link Jobs.start} starts, and those that {@link run} leaves to the table.
 *
 * A finished job is kept for a while, so that its result and output can still be read. Then the table forgets it: its
 * text is freed and its spill file removed.
 *
 * @example
 * const server = jobs.start('npm run dev', { cwd: '/path/to/project' });
 * const { text, cursor } = jobs.read(server.id);
 * await jobs.wait(server.id, { timeout: 10_000 });
 * jobs.kill(server.id);
 */
export class Jobs implements AsyncDisposable {
  /** @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong or unknown option, which it names */
  constructor(options?: JobsOptions);

  /**
   * Starts a command as a job. The job keeps Node.js alive until it ends, unless `unref()` is called.
   *
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a blank command or a wrong option; Error with code
   *   `JOB_LIMIT` if `maxRunning` jobs run, and `JOBS_DISPOSED` after `dispose()`
   */
  start(command: string | readonly string[], options?: JobOptions): Job;

  /** Returns the job with this id, or `undefined` if there is none or the table has forgotten it. */
  get(id: string): Job | undefined;

  /** Returns all jobs, running and finished, in the order of their start. */
  list(): Job[];

  /**
   * Waits for jobs to end. A pending wait keeps Node.js alive. An empty list resolves at once. A job that is forgotten
   * during the wait is still in `finished`.
   *
   * @param ids one id, several, or all jobs that are in the table now (default)
   * @throws Error (as a rejection) with code `JOB_NOT_FOUND` for an unknown id; TypeError (as a rejection) with code
   *   `ERR_INVALID_ARG_VALUE` for a wrong option
   */
  wait(ids?: string | readonly string[], options?: WaitOptions): Promise<WaitResult>;

  /**
   * Sends a signal to a job, as {@link Job.kill}.
   *
   * @returns whether the job still ran; false for an unknown id
   * @throws TypeError with code `ERR_UNKNOWN_SIGNAL`
   */
  kill(id: string, signal?: SignalName | number): boolean;

  /**
   * Returns the output of a job, as {@link Job.read}.
   *
   * @throws Error with code `JOB_NOT_FOUND` for an unknown id
   */
  read(id: string, since?: number): JobOutput;

  /**
   * Kills all running jobs, waits for their ends, forgets all jobs, and removes their spill files. Afterwards `start()`
   * throws `JOBS_DISPOSED`; the default table stays usable. Idempotent.
   */
  dispose(): Promise<void>;

  /** Calls `dispose()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Returns the sequences that a terminal sends for keys, for {@link Job.write}. A name is a character (`'a'`), `enter`,
 * `tab`, `escape`, `space`, `backspace`, `up`, `down`, `left`, `right`, `home`, `end`, `insert`, `delete`, `page-up`,
 * `page-down`, `f1` to `f12`, or one of these after `ctrl-`, `alt-` or `shift-`.
 *
 * The sequences are those of xterm. `write()` sends cursor keys in the form that the program has asked for.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for an unknown name
 *
 * @example
 * job.write(keys('down', 'down', 'enter'));
 * job.write(keys('ctrl-c'));
 */
export function keys(...names: string[]): string;

/** The default table: one for the main thread and one for each worker. */
export const jobs: Jobs;

/** The options of a {@link ShellSession}. A value of `undefined` is an absent one. */
export interface SessionOptions
  extends Pick<CommandOptions, 'cwd' | 'root' | 'env' | 'extendEnv' | 'nonInteractive' | 'limits'> {
  /**
   * The shell: `'auto'` as for `run()` (default), or the path of a shell named `bash`, `zsh`, `dash`, `ash` or `sh`.
   */
  shell?: 'auto' | (string & {}) | undefined;
  /**
   * The state that one command leaves to the next: `'process'` (default) the shell itself, with all that it has; `'state'` only
   * the directory, variables, exports, functions, aliases, options and the umask, which a fresh shell restores for each
   * command. See docs/sessions.md.
   */
  keep?: 'process' | 'state' | undefined;
  /**
   * The start files that the shell reads: none (default), those of a login shell, those of an interactive one, or
   * both. They read an empty standard input.
   */
  startFiles?: 'none' | 'login' | 'interactive' | 'both' | undefined;
  /**
   * The longest start of the shell (ms); 0 for no limit. Default 10,000. A command whose shell takes longer fails
   * with `SESSION_START`, as does one whose shell ends before it is ready: its result has the shell's `exitCode` or `signal`,
   * and what the start files have printed.
   */
  startTimeout?: number | undefined;
  /** The most commands that may wait. Default 1,000. More are refused with `SESSION_QUEUE`. */
  maxQueue?: number | undefined;
  /** The treatment of background processes at `close()`: they are ended (default), or left. */
  background?: 'keep' | 'kill' | undefined;
}

/** The options of {@link ShellSession.run}. A value of `undefined` is an absent one. */
export interface SessionRunOptions
  extends Pick<
    RunOptions,
    | 'input'
    | 'timeout'
    | 'idleTimeout'
    | 'signal'
    | 'killSignal'
    | 'forceKillAfterDelay'
    | 'drain'
    | 'output'
    | 'reject'
  > {
  /**
   * Whether the result has the statuses of the last pipeline, in bash and zsh, of a command that surely ends with its text
   * (words, quotes, pipes, lists, redirections). Default false.
   */
  pipeStatus?: boolean | undefined;
}

/** The options of {@link ShellSession.start}. A value of `undefined` is an absent one. */
export interface SessionJobOptions extends Omit<SessionRunOptions, 'reject'> {
  /** `'pipe'`: {@link Job.write} and {@link Job.stdin} give the command its input. Default `'empty'`. Not with `input`. */
  stdin?: 'empty' | 'pipe' | undefined;
  /**
   * The reaction when the command waits for input, as with {@link JobOptions.onWaiting}: `'event'` (default) only emits the event
   * `waiting`, `'eof'` ends the input, and `'kill'` ends the command. Only with `stdin: 'pipe'`.
   */
  onWaiting?: 'event' | 'eof' | 'kill' | undefined;
}

/**
 * The result of a command in a session. It differs from the result of {@link run} in these:
 *
 * - `cwd` is the shell's directory after the command (`$PWD` if that is true), or the last known one if the shell has ended;
 * - `exitCode` is `$?`: 128 plus the signal's number after a program that died by a signal; `null` for a command that
 *   agent-bash ended;
 * - `signal` is set only if the shell itself died by it; `pid` is that of the shell;
 * - `usage` is counted in steps of 10 ms, and has no peak memory.
 */
export interface SessionResult extends RunResult {
  /** Whether the shell ended with this command. The next one gets a new shell, without this one's state. */
  shellEnded: boolean;
  /**
   * Whether this was the first command of a new shell, after the shell before had ended by itself: with the command before,
   * which has `shellEnded`, or between the two, by a signal from outside. Not after `restart()`.
   */
  restarted: boolean;
  /** The statuses of the last pipeline, or `null` if not asked for or not known. */
  pipeStatus: number[] | null;
}

/**
 * A shell that stays between commands. Each command has its own output, status and times; directory, variables, functions
 * and all other state of the shell stay. Commands run one after another, in the order of the calls. The first command starts
 * the shell.
 *
 * When a timeout, an `AbortSignal` or `kill()` ends a command, the rest of its list does not run, and the shell keeps its
 * state. If the shell can't be kept, `shellEnded` is true, and the next command gets a new shell. The same holds for `exit`,
 * `exec` and a shell that crashes. docs/sessions.md lists these cases.
 *
 * @example
 * await using session = new ShellSession({ cwd: '/path/to/project' });
 * await session.run('cd packages/core && export NODE_ENV=test');
 * const { stdout, cwd } = await session.run('npm test', { timeout: 120_000 });
 */
export class ShellSession implements AsyncDisposable {
  /** @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong or unknown option, which it names */
  constructor(options?: SessionOptions);

  /** `session-1`, … */
  readonly id: string;
  /** The pid of the shell, or `null` while there is none. */
  readonly pid: number | null;
  /** The directory of the shell after the last command, or `null` before the first one. */
  readonly cwd: string | null;
  /** The state of the session. */
  readonly state: 'idle' | 'starting' | 'busy' | 'closed';
  /** The number of queued commands. */
  readonly pending: number;

  /**
   * Runs a command after the queued ones, and resolves with its result. A timeout counts from the command's start,
   * and a command whose signal fires while it waits is not run.
   *
   * @throws (as a rejection) TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong option or command (blank, with a null
   *   byte, over 16 MiB); Error with code `SESSION_CLOSED` after `close()`, and `SESSION_QUEUE` when `maxQueue` commands
   *   wait; {@link CommandError} with `reject`
   */
  run(
    command: string,
    options: SessionRunOptions & { output: { spill: true | (SpillOptions & { above?: undefined }) } },
  ): Promise<SessionResult & AsyncDisposable>;
  run(command: string, options?: SessionRunOptions): Promise<SessionResult>;

  /**
   * Runs a command as {@link ShellSession.run} does, and returns it as a job, with events, `write()`, `waiting()`,
   * `ready()` and `kill()`. It keeps no output for `read()`: {@link Job.ready} finds a pattern in what comes after
   * its call. Throws what `run()` rejects with.
   */
  start(command: string, options?: SessionJobOptions): Job;

  /**
   * Sends a signal to the processes of the running command and to the shell, as Ctrl-C does in a terminal. Does not
   * end the command otherwise. Default `SIGINT`.
   *
   * @returns whether a command was running
   * @throws TypeError with code `ERR_UNKNOWN_SIGNAL`
   */
  interrupt(signal?: SignalName | number): boolean;

  /**
   * Ends the shell with its state, and the running command with it (status `aborted`). Waiting commands run in a
   * new shell, in `cwd` or else in the initial directory of the session.
   *
   * @throws (as a rejection) Error with code `SESSION_CLOSED` after `close()`
   */
  restart(options?: { cwd?: string | URL | undefined }): Promise<void>;

  /**
   * Ends the running command and those that wait (status `aborted`; the waiting ones have the code `SESSION_CLOSED`), lets
   * the shell's traps on EXIT run for 2 seconds at most, and ends the shell and, unless `background` is `'keep'`, the
   * background processes of its commands. Idempotent.
   *
   * @returns what the shell wrote at its end
   */
  close(): Promise<{ stdout: string; stderr: string }>;

  /** Keeps Node.js alive while a command of `run()` runs (default). An idle session never keeps it alive. */
  ref(): this;

  /** Lets Node.js end while a command of `run()` runs. */
  unref(): this;

  /** Closes the session, as `close()` does. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The options of {@link changedSince}. A value of `undefined` is an absent one. */
export interface ChangedSinceOptions {
  /** Names of files and directories that are left out, wherever they are. Default `['.git', 'node_modules']`. */
  ignore?: readonly string[] | undefined;
  /** The most entries that are inspected. Default 100,000. With more, the search stops and `complete` is false. */
  limit?: number | undefined;
  /** Ends the search when it fires: the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The findings of {@link changedSince}. */
export interface ChangedFiles {
  /** The paths of files, directories and links, relative to `root`, in alphabetical order. */
  paths: string[];
  /** Whether all entries were inspected. */
  complete: boolean;
}

/**
 * Finds the entries below a directory that were created, written, renamed, or got other rights or owners since a time, by the
 * change times of the file system. A change up to 10 ms before that counts too, since some kernels give times in steps. A
 * deletion shows only in the directory that contained the entry, which has changed. The author of a change is not known: changes
 * by other programs count as well. Links are not followed.
 *
 * @param since a `Date`, or milliseconds since 1970
 * @throws (as a rejection) TypeError with code `ERR_INVALID_ARG_VALUE`; the system's error if `root` can't be read
 *
 * @example
 * const before = Date.now();
 * await session.run('npm run build');
 * const { paths } = await changedSince('/path/to/project', before);
 */
export function changedSince(
  root: string | URL,
  since: Date | number,
  options?: ChangedSinceOptions,
): Promise<ChangedFiles>;

/**
 * Makes the {@link View} of an output that exists already.
 *
 * @param source the output: text, bytes, which must not change meanwhile, or a file
 * @param options how the command ended (it shifts weights; unknown counts as failed), and how the view is made
 * @throws (as a rejection) TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong option, which it names; for an unreadable
 *   file, Error with the system's code, such as `ENOENT`
 *
 * @example
 * const { text } = await view({ path: 'build.log' }, { exitCode: 2, maxBytes: 4_000 });
 */
export function view(
  source: string | Uint8Array | { path: string | URL },
  options?: ViewOptions & { exitCode?: number | null | undefined; signal?: SignalName | null | undefined },
): Promise<View>;

/** Lines of a file. */
export interface Lines {
  /** The lines, without a line break at the end. */
  text: string;
  /** The number of the first one. */
  from: number;
  /** The number of the last one; `from - 1` if there is none. */
  to: number;
  /** Whether the file has no line after it. */
  eof: boolean;
}

/**
 * Reads the lines `from` (default 1) to `to` (default: the last) of a file, such as one of `spill`, as text without terminal
 * sequences. If the lines are longer than `maxBytes` together, it returns as many whole lines as fit; read on from
 * `to + 1`. A first line that does not fit is cut.
 *
 * @param options `maxBytes`: 1 to 67,108,864 bytes of UTF-8, default 16,000; `plain: false`: lines as they were written
 * @throws (as a rejection) Error with the system's code: `ENOENT`, `EISDIR`, `EINVAL` for another file that is not regular, …;
 *   TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong argument
 */
export function readLines(
  path: string | URL,
  from?: number,
  to?: number,
  options?: { maxBytes?: number | undefined; plain?: boolean | undefined },
): Promise<Lines>;

/** A line that contains the text, or a line of its context. */
export interface FoundLine {
  line: number;
  text: string;
}

/**
 * Finds the lines of a file that have `text` (literally; case counts) in their plain form, however long they are. `total` counts
 * all of them from line `from` on, also those that are not returned. Of a line that does not fit into `maxBytes`, or is longer
 * than 1 MiB, it returns the first match with at most 1,000 bytes on either side, between `[… N bytes …]`.
 *
 * @param options `from`: the first line, default 1; `max`: how many lines, default 50, at most 100,000; `context`: how many
 * lines around each come with it, default 0; `maxBytes`: how much in all, default 16,000
 * @throws (as a rejection) Error with the system's code: `ENOENT`, `EISDIR`, `EINVAL` for another file that is not regular, …;
 *   TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong argument
 */
export function findLines(
  path: string | URL,
  text: string,
  options?: {
    from?: number | undefined;
    max?: number | undefined;
    context?: number | undefined;
    maxBytes?: number | undefined;
  },
): Promise<FoundLine[] & { total: number }>;

/** Whether a command may run. */
export type Verdict = 'allow' | 'ask' | 'deny';

/**
 * The verdict on a command that no rule matches. `default` and `acceptEdits`: it is asked about. `bypassPermissions`: it is
 * allowed. `dontAsk`: it is denied, and so is what would be asked about. `strict`: it is denied. `readOnly`: no rule counts; it
 * is allowed if it only reads below `root`, and runs with what keeps git's settings from running programs.
 */
export type PolicyMode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'dontAsk' | 'strict' | 'readOnly';

/**
 * The rules for commands that may run. The check for dangerous commands comes first, then `deny`, `ask`, `allow`, and last the
 * mode. A more specific rule has no precedence. A command line gets the strictest verdict of its commands.
 *
 * Rules: `Bash` (all commands), `Bash(npm test)` (exactly these words), `Bash(git:*)` (a command of this name),
 * `Bash(git push:*)` or `Bash(git:push*)` (a subcommand), `Bash(npm run *)` (`*` stands for any words), `Bash(cat src/*)` (`*` in a
 * word stands for any text without a part `..`). Rules of other tools are read and have no effect.
 */
export interface Policy {
  /** Default `'default'`. */
  mode?: PolicyMode | undefined;
  /** Rules that allow: word by word, never a path to a program of the same name. `git -C dir` in the root counts as `git`. */
  allow?: readonly string[] | undefined;
  /** Rules that ask. */
  ask?: readonly string[] | undefined;
  /**
   * Whether known queries in `root` (`ls`, `cat`, `grep`, `git log`, …, see {@link readOnly}) need no rule. Git's own settings then run
   * no program of theirs. Default `'ask'`; `'allow'` in `createTools()`. Without effect in a session.
   */
  queries?: 'allow' | 'ask' | undefined;
  /** Directories besides `root` that the redirections of an allow rule may write, by real path. A relative one belongs to `process.cwd()`. Default none. */
  writable?: readonly (string | URL)[] | undefined;
  /** Rules that deny: also by a path, behind wrappers, with options before the subcommand and flags in another order. */
  deny?: readonly string[] | undefined;
  /**
   * The verdict on dangerous commands, in every mode that asks; one that is only possibly dangerous asks. `false`: there is no such check.
   * Default `'deny'`.
   */
  dangerous?: 'deny' | 'ask' | false | undefined;
  /** Cases that {@link checkPolicy} runs. */
  tests?: readonly PolicyTest[] | undefined;
}

/** A case inside of a policy. */
export interface PolicyTest extends Omit<CheckOptions, 'policy'> {
  /** The command. */
  command: string | readonly string[];
  /** The verdict that it must have. */
  expect: Verdict;
}

/** The options of {@link check}. A value of `undefined` is an absent one. */
export interface CheckOptions extends Pick<CommandOptions, 'env' | 'extendEnv' | 'nonInteractive' | 'shell'> {
  /** The policy. */
  policy: Policy;
  /** The directory in which the command would run, as in {@link CommandOptions}. Default: `process.cwd()`. */
  cwd?: string | URL | undefined;
  /**
   * The project: the directory below which an allow rule covers redirections that write, `cd` needs no rule, and queries may read.
   * Default: `cwd`.
   */
  root?: string | URL | undefined;
}

/** A simple command that may run, wherever in the command line it stands. */
export interface JudgedCommand {
  /**
   * The command's name after quote removal; `null` if it is not known before it runs, and for assignments and redirections alone.
   */
  name: string | null;
  /** The words, the name first; `null` for a word that is not known. A glob is its pattern. None for code that is not known. */
  argv: (string | null)[];
  /** The assignments before the command. */
  assignments: { name: string; value: string | null }[];
  /** The redirections of the command, such as `> file`. */
  redirections: string[];
  /** The commands behind which it was found (`sudo`, `bash`, `find`, …), the outermost first. */
  wrappers: string[];
  /** The verdict on this command. */
  verdict: Verdict;
  /** The rule that decided, or `null`. */
  rule: { list: 'allow' | 'ask' | 'deny'; index: number; rule: string } | null;
  /** The reason, as a part of a sentence. May change. */
  reason: string;
  /** A rule that would allow this command, if it lacks one and one is safe to offer, or `null`. */
  suggestion: string | null;
}

/** Kinds of harm. */
export type DangerousEffect = 'removal' | 'overwrite' | 'shutdown' | 'permissions' | 'kernel' | 'download';

/** The decision about a command line. */
export interface Decision {
  verdict: Verdict;
  /**
   * The reason, as a stable name. `NOT_APPROVED`: a person must approve. `UNPARSEABLE`: it can't be read beyond
   * doubt, or this shell's language is not read.
   */
  code: 'ALLOWED' | 'NOT_APPROVED' | 'DENIED' | 'DANGEROUS' | 'UNPARSEABLE';
  /** The reason, as a sentence for people and models. May change. */
  reason: string;
  /** Every simple command that may run, in order. */
  commands: JudgedCommand[];
  /** The effect that makes it dangerous, or `null`. */
  dangerous: DangerousEffect | null;
  /**
   * The rules that would allow it, as narrow as a person would write them (`Bash(npm run build:*)`): one for each command that lacks a
   * rule. Empty where one of them is not safe to offer, for a danger, where a rule decided, and for more than 8.
   */
  suggestions: string[];
  /** The only one of `suggestions`, or `null`. */
  suggestion: string | null;
  /** Binds the command's bytes, its directory, shell, environment and policy; for the option `decision`. */
  readonly token: string;
}

/** The answer of an {@link Approve}; the rules of `addRule` join the policy's `allow` list, which all later commands see. */
export type Approval =
  | 'allow'
  | 'deny'
  | {
      verdict: 'allow' | 'deny';
      reason?: string | undefined;
      addRule?: string | readonly string[] | undefined;
    };

/** Decides about a command in place of a rule. */
export type Approve = (decision: Decision, context: { signal: AbortSignal }) => Approval | Promise<Approval>;

/**
 * Decides whether a command may run, on the words that the shell will really run. Nothing is started. A command line
 * that is not fully understood is never allowed. A policy can't restrict the actions of an allowed program: that is
 * the task of a sandbox.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong option, and for a rule that can't be read
 *
 * @example
 * const { verdict, reason } = check('git status && rm -rf build', { policy: { allow: ['Bash(git status)'] } });
 */
export function check(command: string | readonly string[], options: CheckOptions): Decision;

/** Returns a decision as text for people: the reason, and a line for each command. */
export function explainDecision(decision: Decision): string;

/** The findings of {@link checkPolicy}. */
export interface PolicyReport {
  /** Whether all tests hold. */
  ok: boolean;
  /** The number of tests. */
  count: number;
  /** The cases whose verdict differs. */
  failures: { index: number; command: string | readonly string[]; expected: Verdict; decision: Decision }[];
}

/**
 * Reads the rules of a policy and runs its `tests`.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a rule that can't be read: it names the list, the index and the fault
 */
export function checkPolicy(policy: Policy): PolicyReport;

/** A policy converted from another tool's rules, and the rules that could not be converted. */
export interface ImportedPolicy {
  policy: Policy & { allow: string[]; ask: string[]; deny: string[] };
  skipped: { from: string; value: unknown; reason: string }[];
}

/** Converts the `Bash` rules of Claude Code's settings: the object or its JSON. */
export function policyFromClaudeSettings(settings: unknown): ImportedPolicy;

/** Converts prefix rules of codex, as JSON or an array: `[{ pattern: ['git', 'push'], decision: 'prompt' }]`. */
export function policyFromCodexRules(rules: unknown): ImportedPolicy;

/**
 * Returns whether every command of a command line is a known query with known arguments: no write, no network, no other
 * program, no path outside of `root`. The kernel does not enforce it. `run()` with `policy: { mode: 'readOnly' }` also keeps
 * git's settings from running programs.
 */
export function readOnly(
  command: string | readonly string[],
  options?: Omit<CheckOptions, 'policy'>,
): boolean;
