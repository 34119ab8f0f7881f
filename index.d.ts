/// <reference types="node" />
// The types of agent-bash. Written by hand, for people: times are milliseconds, sizes are bytes.

import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * The arguments of the voice tool, as a model gives them. The first that is a string and not blank is the command;
 * it is passed on untrimmed. Anything else a model adds is ignored.
 */
export interface BashArgs {
  /** The command. */
  command?: unknown;
  /** The same, by the name that models use too. Read when `command` is not usable. */
  cmd?: unknown;
  [other: string]: unknown;
}

/**
 * Runs a command and answers with its output and exit code, as text for a model.
 *
 * - Shell: `/bin/zsh -c`, else `/bin/bash -lc`, else `sh -c` from PATH. Standard input is empty.
 * - Answer: all of stdout, a line break if both streams said something, all of stderr, then `\n[Exit code: N]`. A death by
 *   signal is 128 plus its number.
 * - Limit: 102,400 bytes of UTF-8, then `\n[Output truncated at 100KB]`. The rest is read and dropped.
 * - Time: 30,000 ms for the command and for whatever holds its output open. Then SIGTERM to all that belongs to it,
 *   SIGKILL 5,000 ms later, and the line `\n[Process timed out after 30s and was terminated]`.
 * - Safe mode: no shell; the words of the command as they are, and only git, grep, rg, find, ls, cat, head, tail, wc,
 *   pytest, `swift test`, `xcodebuild test` and `npm test`. It limits which program is started, not what that program
 *   may do: `git` and `find` can run others. It is not a sandbox.
 *
 * It never throws and never rejects: whatever is wrong with the arguments or the launch is an answer that begins with
 * `Error: `, such as `Error: Failed to launch process: spawn /bin/zsh ENOENT` for a missing `workspaceRoot`. Node stays
 * alive until the answer has come. A process that the command has put into the background, with its output redirected
 * (`nohup server >log 2>&1 &`), runs on after the answer, as it does after any shell.
 *
 * @param args the command, as `{ command }` or `{ cmd }`
 * @param workspaceRoot the working directory; relative to `process.cwd()`, which `''` means itself
 * @param safeMode whether only programs of the allow list may run; default false
 *
 * @example
 * const answer = await bash({ command: 'git status --short' }, '/path/to/project', true);
 */
export function bash(
  args: BashArgs | null | undefined,
  workspaceRoot: string,
  safeMode?: boolean,
): Promise<string>;

/** Which stream a piece of output came from. */
export type StreamName = 'stdout' | 'stderr';

/** A piece of output: valid text, never cut inside a character. It stands for at most about 64 KiB of bytes. */
export interface OutputChunk {
  stream: StreamName;
  text: string;
}

/** The name of a signal. Real-time signals (Linux), for which Node has no names, are `SIG34` to `SIG64`. */
export type SignalName = NodeJS.Signals | `SIG${number}`;

/** How a command ended. */
export type RunStatus =
  /** It exited; `exitCode` says how. */
  | 'exited'
  /** It died by a signal that nobody here had asked for, or that `kill()` sent; see `signal`. */
  | 'signaled'
  /** It took longer than `timeout` (or `backgroundTimeout`), and was ended. */
  | 'timeout'
  /** It wrote nothing for `idleTimeout`, and was ended. */
  | 'idleTimeout'
  /** It took longer than `timeout` and runs on as a background job: this is what there is so far. `run()` only. */
  | 'background'
  /** Its `AbortSignal` fired, or it was stopped before there was a process. */
  | 'aborted'
  /** Safe mode does not allow it. Nothing was run. */
  | 'denied'
  /** It could not be started, or its exit status was lost; `error` says why. */
  | 'failed';

/** What went wrong. */
export interface RunError {
  /**
   * Node's error code for a failed launch (`ENOENT`, `EACCES`, `ENOTDIR`, …), or one of `DENIED`, `MISSING_COMMAND`,
   * `INVALID_SYNTAX`, `ERR_INVALID_ARG_VALUE`, `ABORT_ERR`, `ETIMEDOUT` (there was no process in time), `INTERNAL`;
   * of `run()` and {@link Jobs} also `CWD_` or `ROOT_` with `MISSING`, `NOT_DIRECTORY` or `NOT_ACCESSIBLE`, and `CWD_OUTSIDE`
   * of the root; `ECHILD` when other code in this process has taken the exit status of a command that ran; `NOT_ENDED` for
   * one that could not be killed; `OUTPUT_LOST` when its output could not be read to its end; `JOB_LIMIT` or `JOBS_DISPOSED` when a command of `run()` was ended because its table took
   * no more background jobs. Stable.
   */
  code: string;
  /** The same in words, such as `spawn /bin/zsh ENOENT`. May change. */
  message: string;
}

/** What is left of a command. What is absent is `null`. */
export interface RunResult {
  /** The command, as given. An array of words is joined, quoted as a POSIX shell would need it. */
  command: string;
  /** The working directory. Of `run()` and {@link Jobs}: its real path, when the command could be started there. */
  cwd: string;
  /** How it ended. */
  status: RunStatus;
  /** The exit code (0 to 255), or `null` if it did not exit by itself. */
  exitCode: number | null;
  /** The signal that ended the process, or `null`. */
  signal: SignalName | null;
  /** What was kept of standard output: the first 102,404 bytes; of `run()` and {@link Jobs} what `output` asks for. */
  stdout: string;
  /** What was kept of standard error, likewise. Empty with `output.merge`. */
  stderr: string;
  /**
   * `stdout`, then `stderr` on a line of its own. How the command ended is not in it, as after a failed launch, an exit with 3
   * or a timeout: see `status`, `exitCode`, `signal` and `error`. Of a {@link BashJob}: what `bash()` answers to the same
   * command, with its end.
   */
  output: string;
  /** Whether what was kept lacks a part of what was written. */
  truncated: boolean;
  /** How much was written (bytes). */
  totalBytes: { stdout: number; stderr: number };
  /** From the start of the job to its end, or to this answer (ms). */
  durationMs: number;
  /** The process number, or `null` if there was no process. It may be a stranger's by now. */
  pid: number | null;
  /** The number of the command's process group, or `null` if there was no process. */
  processGroup: number | null;
  /**
   * Processes of the command that still run, without `pid`: those that are left after its exit. With `status: 'background'`,
   * those that it has put into the background with `&` or in a session of their own; what its shell waits for is part of the
   * job (`jobId`). On macOS that can't be told, and all of its processes are named.
   */
  backgroundPids: number[];
  /** Which background job this is (`job-7`), or `null` if it is none. See {@link Jobs.get}. */
  jobId: string | null;
  /**
   * Where the output in this result ends, for `read()` of that job: `jobs.read(jobId, cursor)` gives what came later. `null` if
   * it is no background job, or has nothing to read (`readBytes: 0`). With `output.stripAnsi`, a line that has not ended is
   * in this result as it is so far, and `read()` gives it again when it has ended.
   */
  cursor: number | null;
  /** The same as `spill.path`, or `null`. */
  spillPath: string | null;
  /** The file with the whole output, or `null` if none was asked for or nothing was run. */
  spill: Spill | null;
  /** What the command and those of its processes that it has waited for have used; `null` if it is not known. */
  usage: Usage | null;
  /** What went wrong, or `null`. A command that fails by itself is no error: see `exitCode`. */
  error: RunError | null;
}

/** The file with all output of a command. */
export interface Spill {
  /** Its absolute path. Only this user can read it. */
  path: string;
  /** How long it is (bytes). */
  bytes: number;
  /** Whether it has everything that was written. */
  complete: boolean;
  /** Why it could not be made or written, or `null`; `null` too if only the quota cut it. The command runs on regardless. */
  error: RunError | null;
}

/** What a command has used. */
export interface Usage {
  /** Processor time in the programs (ms). */
  userMs: number;
  /** Processor time in the kernel (ms). */
  systemMs: number;
  /**
   * The most memory that one of its processes had at a time (bytes), or `null` where that is less than the peak of Node
   * itself: a new process begins in the memory of its parent, and the kernel counts that in.
   */
  maxRssBytes: number | null;
}

/** What {@link run} and {@link Jobs.start} take. A value of `undefined` is an absent one. */
export interface CommandOptions {
  /**
   * The working directory: a path or a `file:` URL, relative to `root`, or else to `process.cwd()`. Default: that
   * directory itself. The kernel follows the path as it is: `link/..` is the parent of what the link leads to.
   */
  cwd?: string | URL | undefined;
  /**
   * The directory in which `cwd` must lie, by real paths: symbolic links do not lead out of it. A path or a `file:` URL,
   * relative to `process.cwd()`. It says where the command starts, not what it may touch: it is not a sandbox.
   */
  root?: string | URL | undefined;
  /** Variables, on top of the others. `undefined` removes one. Names have letters, digits and `_`. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether `process.env` is there too, as it is at the call. Default true. As in execa. */
  extendEnv?: boolean | undefined;
  /** Whether {@link nonInteractiveEnv} is there too: above `process.env`, below `env`. Default false. */
  nonInteractive?: boolean | undefined;
  /**
   * Who reads the command:
   *
   * - `'auto'` (default): `/bin/zsh -c`, else `/bin/bash -lc`, else `sh -c` from PATH, as `bash()`;
   * - a path, which is called with `-c`; or a path and flags, such as `['/bin/bash', '-euo', 'pipefail', '-c']`;
   * - `false`: nobody. A string is split into words as a POSIX shell would, without expansions.
   *
   * A command that is an array is its own words, and takes no other value than `false`.
   *
   * A command over 131,071 bytes needs a POSIX shell by its usual name; with any other program it fails with `E2BIG`.
   */
  shell?: 'auto' | (string & {}) | readonly string[] | false | undefined;
  /** Standard input, then its end. Default: none, as from `/dev/null`. Text is sent as UTF-8. */
  input?: string | NodeJS.ArrayBufferView | undefined;
  /** How long the command may take (ms). Default and 0: no limit. Then it is ended, or see `onTimeout`. */
  timeout?: number | undefined;
  /** How long the command may write nothing (ms), before it is ended. Default and 0: no limit. */
  idleTimeout?: number | undefined;
  /** Ends the command when it fires: status `aborted`. One that has fired already starts nothing. */
  signal?: AbortSignal | undefined;
  /** What asks the command to end, by `timeout`, `idleTimeout`, `signal` and `kill()`. Default `SIGTERM`. */
  killSignal?: SignalName | number | undefined;
  /** How long after that SIGKILL follows (ms); `false` for never. Default 5,000. As in execa. */
  forceKillAfterDelay?: number | false | undefined;
  /**
   * What becomes of processes that the command leaves running when it exits: `'keep'` (default) lets them run, `'kill'`
   * kills them.
   */
  background?: 'keep' | 'kill' | undefined;
  /**
   * How long output is waited for that a process left behind still holds open, counted from the exit. `'end'`: until it
   * closes it, or `timeout` ends it. Default `{ idle: 100, max: 2000 }`.
   */
  drain?: 'end' | DrainOptions | undefined;
  /** What is kept of the output, and how. */
  output?: OutputOptions | undefined;
  /** Limits of the kernel for each process of the command. */
  limits?: LimitOptions | undefined;
  /**
   * Whether a shell that was started ahead may run the command: with start files that take long, that is many times as
   * fast. It does if the shell is bash or zsh, there is no input, and the command is simple: words, quotes, variables,
   * `$(…)`, pipes, lists and redirections (in zsh on one line), at most 8 KiB. Any other command runs as without this
   * option. The shell has the directory, the environment and the limits of this call, is used once, and is replaced in the
   * background; see {@link prewarm}. What a command can see of it is in docs/warm-shells.md: above all, a program that
   * dies by a signal as the last of its command is told as a shell tells it (exit code 128 and the signal's number), and
   * `signal` is null. Default false.
   */
  warm?: boolean | undefined;
}

/** How long to wait for output after the exit. */
export interface DrainOptions {
  /** Until nothing has come for so long (ms). Default 100. */
  idle?: number | undefined;
  /** Never longer than this (ms). Default 2,000. */
  max?: number | undefined;
}

/** What is kept of a command's output. */
export interface OutputOptions {
  /**
   * How much of each stream is kept (bytes as they were written; of the plain text with `stripAnsi`), from 0 to
   * 67,108,864. Default 1,048,576. The text can be longer by the marker, and an invalid byte becomes a U+FFFD of three.
   */
  maxBytes?: number | undefined;
  /** Which part of a longer stream is kept: its beginning, its end, or both (default) with a marker in between. */
  keep?: 'head' | 'tail' | 'both' | undefined;
  /** With `keep: 'both'`: how much of `maxBytes` is for the beginning (bytes). Default half. */
  headBytes?: number | undefined;
  /** Where it is cut: preferably at a line's end (default), or exactly, only never inside a character. */
  cut?: 'line' | 'character' | undefined;
  /** Whether both streams are one, as by `2>&1`, in the order in which they were written: `stdout`. Default false. */
  merge?: boolean | undefined;
  /** Whether text is kept as a terminal would show it: no colours, no overwritten lines. Default false. */
  stripAnsi?: boolean | undefined;
  /**
   * What stands for the part that is left out, exactly as given: `{bytes}` and `{lines}` say how much of it there was, and
   * `{total}` how long the stream was (bytes; all of them of the plain text with `stripAnsi`). Default: a line of its own
   * that says so. At most 10,000 characters.
   */
  marker?: string | undefined;
  /** Whether everything that is written goes to a file too; see {@link RunResult.spill}. Default false. */
  spill?: boolean | SpillOptions | undefined;
}

/** Where all of the output goes. */
export interface SpillOptions {
  /**
   * The directory for the file; made if it is missing. Default: one of our own below `os.tmpdir()`, or another place
   * outside of `root`, which goes with everything in it when Node ends by itself.
   */
  directory?: string | URL | undefined;
  /** How large the file may be (bytes). Default 1,073,741,824. */
  maxBytes?: number | undefined;
}

/** Limits for each process of a command (`setrlimit`). They are integers above 0, but for `cpu`. */
export interface LimitOptions {
  /** Address space (bytes). */
  memory?: number | undefined;
  /** Processes and threads that the user may have in all when the command makes one more. Root is not bound. */
  processes?: number | undefined;
  /** The size of a file that it writes (bytes). A write beyond it is a SIGXFSZ. */
  fileSize?: number | undefined;
  /** Processor time (ms; rounded up to seconds). Then SIGXCPU, a second later SIGKILL. */
  cpu?: number | undefined;
  /** Open files. */
  openFiles?: number | undefined;
}

/** What {@link run} takes. */
export interface RunOptions extends Omit<CommandOptions, 'background'> {
  /**
   * What happens at `timeout`: the command is ended (default), or it runs on as a job in `jobs`, and the answer is what
   * there is so far, with `status: 'background'` and a `jobId`. With `'background'` a timeout of 0 means at once.
   */
  onTimeout?: 'kill' | 'background' | undefined;
  /** How long it may go on from then (ms). Default and 0: no limit. */
  backgroundTimeout?: number | undefined;
  /**
   * As for a job; or `'adopt'`: processes that the command leaves running become a job in `jobs`, and the answer has its
   * `jobId`.
   */
  background?: 'keep' | 'kill' | 'adopt' | undefined;
  /**
   * Whether anything but an exit with 0 rejects, with a {@link CommandError}. A command that goes on in the background
   * does not. Default false. As in execa.
   */
  reject?: boolean | undefined;
  /** The table for a command that goes on. Default {@link jobs}. */
  jobs?: Jobs | undefined;
}

/** What {@link Jobs.start} takes. */
export interface JobOptions extends CommandOptions {
  /** `'pipe'`: {@link Job.write} and {@link Job.stdin} give the command its input. Default `'empty'`. Not with `input`. */
  stdin?: 'empty' | 'pipe' | undefined;
}

/**
 * Runs a command to its end.
 *
 * A string is read by a shell (see `shell`); an array is a program and its arguments, and no shell is involved. Node
 * stays alive until the answer has come. A command that fails, cannot be started, is ended by its time or by its signal
 * is no rejection, unless `reject` is true: the result says it.
 *
 * With `onTimeout: 'background'` or `background: 'adopt'` the command may go on as a {@link Job} of a table, which `signal`
 * no longer reaches; it does not keep Node alive. If the table is full then, the command is ended and `error.code` is
 * `JOB_LIMIT`.
 *
 * @returns the result. If a `spill` was asked for, `await using` removes the file; a file that no job has is otherwise
 *   left until Node ends.
 * @throws TypeError (as a rejection) with code `ERR_INVALID_ARG_VALUE` for a wrong or unknown option, which it names, and
 *   for a blank command; {@link CommandError} with `reject`
 *
 * @example
 * const { status, exitCode, stdout } = await run('npm test', { cwd: '/path/to/project', timeout: 120_000 });
 * const { stdout: head } = await run(['git', 'rev-parse', 'HEAD'], { reject: true });
 */
export function run(
  command: string | readonly string[],
  options: RunOptions & { output: { spill: true | SpillOptions } },
): Promise<RunResult & AsyncDisposable>;
export function run(command: string | readonly string[], options?: RunOptions): Promise<RunResult>;

/** For which commands shells are started ahead; see {@link CommandOptions}. `undefined` is an absent value. */
export interface PrewarmOptions
  extends Pick<CommandOptions, 'cwd' | 'root' | 'env' | 'extendEnv' | 'nonInteractive' | 'shell' | 'limits'> {
  /** Whether the commands will have `output: { merge: true }`. Default false. */
  merge?: boolean | undefined;
  /** How many shells are to wait, from 1 to 16. Default 1. */
  count?: number | undefined;
}

/**
 * Starts shells ahead, for commands of `run()` and `Jobs` with `warm: true` and the same options. Without it, the first
 * such command starts the first one.
 *
 * A shell that waits has some 4 MB of memory, and ends after 5 minutes, with the worker, or with Node. 16 can wait at the
 * same time; the oldest makes room for another.
 *
 * @returns whether shells of this kind can wait: bash and zsh with the usual flags can
 * @throws TypeError for a wrong option, with its name
 */
export function prewarm(options?: PrewarmOptions): boolean;

/** What {@link diagnostics} tells of the guardian, the process that ends all commands when Node.js is killed. */
export interface GuardianDiagnostics {
  /**
   * - `idle`: no command has been started yet; the guardian starts with the first one.
   * - `starting`: it is being started.
   * - `running`: it watches.
   * - `stopped`: it was killed, or the system had no process for it. It is started again within a second, or by the next
   *   command.
   * - `missing`: its program is not there or can't be run; `error` says why. Commands run all the same. When Node.js is
   *   killed by SIGKILL, the process of each command dies on Linux, but what it has started may live on.
   */
  state: 'idle' | 'starting' | 'running' | 'stopped' | 'missing';
  /** Its program, which lies beside the addon. */
  path: string;
  /**
   * Why there is no guardian. The code is `HELPER_MISSING` (not there, not executable, or for another processor),
   * `HELPER_VERSION` (of another version than the addon), or that of the system, such as `EAGAIN`.
   */
  error: { code: string; message: string } | null;
}

/** What {@link diagnostics} returns. */
export interface Diagnostics {
  guardian: GuardianDiagnostics;
}

/** Tells whether everything works that commands rely on in this process. Starts nothing and does not wait. */
export function diagnostics(): Diagnostics;

/**
 * Variables that keep programs from asking and from paging: `PAGER=cat`, `GIT_TERMINAL_PROMPT=0`, `CI=true`, `TERM=dumb`
 * and the like. Frozen. `nonInteractive: true` applies them; this is for those who compose an environment themselves.
 */
export const nonInteractiveEnv: Readonly<Record<string, string>>;

/**
 * A command that did not exit with 0, as an error. The message says how it ended, and then what it said on standard
 * error, or else its output.
 */
export class CommandError extends Error {
  /**
   * @param result what is left of the command
   * @param times its limits (ms), for the message
   */
  constructor(result: RunResult, times?: { timeout?: number | undefined; idleTimeout?: number | undefined });
  readonly name: 'CommandError';
  /** The code of `result.error`, if there is one. */
  readonly code: string | undefined;
  /** What is left of the command. */
  readonly result: RunResult;
  /** The first line: how the command ended. */
  readonly shortMessage: string;
}

/** How a {@link BashJob} is run. */
export interface BashJobOptions {
  /** How long the command may take (ms). Default 30,000; 0 for no limit. */
  timeout?: number;
  /** Ends the job: SIGTERM, and SIGKILL 5,000 ms later. A signal that has fired already starts nothing. */
  signal?: AbortSignal;
}

/** The events of a {@link Job} and what their listeners get. */
export interface JobEvents {
  /** Output, as it comes. Never after `exit`. */
  data: [chunk: string, stream: StreamName];
  /** The end, once. As in Node, `code` is `null` after a death by signal, and `signal` is `null` otherwise. */
  exit: [code: number | null, signal: SignalName | null, result: RunResult];
}

/** The events of a {@link BashJob}. */
export type BashJobEvents = JobEvents;

/** The latest output of a job, from some place on. */
export interface JobOutput {
  /** The text of all chunks. */
  text: string;
  /** The same by streams, in the order in which it was read. */
  chunks: OutputChunk[];
  /** Where it ends: `since` for the next time (bytes of UTF-8 from the job's start). */
  cursor: number;
  /** How much is missing between `since` and the first chunk, as it is no longer kept (bytes). */
  dropped: number;
}

/**
 * A command that is running: {@link Jobs.start} and {@link BashJob} make one, and `run()` may leave one.
 *
 * Listeners that are added in the turn in which the job was made miss nothing. Listeners and readers that come later
 * hear what comes from then on; `result` has it all, up to the limit.
 *
 * There is no `error` event: a launch that fails is an `exit` whose result has `error`. When Node ends, its jobs are
 * killed.
 *
 * Events go through `emit()`, and `EventEmitter.captureRejections` holds as for every emitter. In one thing a job differs from
 * other emitters: a listener of `data` or `exit` that throws keeps nothing from the other listeners. Its error is an uncaught
 * exception.
 *
 * As with `child_process`, listeners run in the asynchronous context (`AsyncLocalStorage`) of whoever started the job, and
 * callbacks of `stdin.write()` and `stdin.end()` in that of their caller.
 */
export abstract class Job
  extends EventEmitter<JobEvents>
  implements AsyncIterable<OutputChunk>, AsyncDisposable
{
  /** Jobs are made by {@link Jobs.start}, {@link run} and {@link BashJob}. */
  protected constructor();

  /** Names the job within this Node environment: `job-1`, `job-2`, … */
  readonly id: string;

  /** The command, as in {@link RunResult.command}. */
  readonly command: string;

  /** The process number; `null` until there is a process, and for a job that had none. */
  readonly pid: number | null;

  /** Where the job is: `starting`, `running`, or how it ended. */
  readonly status: 'starting' | 'running' | RunStatus;

  /**
   * Whether `run()` has answered already and the command goes on without it. Such a job does not keep Node alive, unless
   * somebody calls `ref()`, reads `result` or waits for it in its table.
   */
  readonly isBackground: boolean;

  /** What is left at the end. Never rejects. */
  readonly result: Promise<RunResult>;

  /** The standard input, as one of Node's streams: 64 KiB may wait in it. `null` without `stdin: 'pipe'`. */
  readonly stdin: Writable | null;

  /**
   * Writes to the standard input, after what was written before. It queues without a limit; {@link Job.stdin} tells when to
   * wait. A command that does not read its input is no error: what it does not take is dropped.
   *
   * @returns whether it was taken: not without `stdin: 'pipe'`, nor after `end()` or the job's end
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE` if the chunk is neither text nor bytes
   */
  write(chunk: string | Uint8Array): boolean;

  /** Ends the standard input after what was written before, and after this chunk. */
  end(chunk?: string | Uint8Array): void;

  /**
   * The latest output of a job in a table, while it runs and until it is forgotten: `readBytes` of it are kept. Reading
   * takes nothing away. A {@link BashJob} keeps nothing to read.
   *
   * @param since the `cursor` of the last time; default 0, the job's start
   * @throws Error with code `JOB_NOT_FOUND` when the job is forgotten
   */
  read(since?: number): JobOutput;

  /**
   * Sends a signal to the whole job: the process, its group and session, its descendants wherever they are.
   *
   * SIGTERM, SIGKILL and the job's `killSignal` end the job; SIGKILL follows after 5,000 ms or `forceKillAfterDelay`. Every
   * other signal is only sent. As in Node, each call sends its signal, and 0 sends nothing and only asks.
   *
   * @param signal a name or a number; default: the job's `killSignal`, `SIGTERM`
   * @returns whether the job was still there
   * @throws TypeError with code `ERR_UNKNOWN_SIGNAL`
   */
  kill(signal?: SignalName | number): boolean;

  /** Node stays alive until the job is over. This is how a job begins. */
  ref(): this;

  /** Node may end while the job runs; then the job is killed. */
  unref(): this;

  /**
   * The output from now on, both streams in the order in which they were read. A reader that falls behind by 256 Ki
   * characters slows the command down. `break` ends the reading, not the job.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<OutputChunk>;

  /** Ends the job as `kill()` does, and waits for its end. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A command whose output is seen while it runs. It takes the arguments of {@link bash}, and its `result.output` is
 * what `bash()` answers.
 *
 * It starts in the next microtask. Listeners that are added later, but before the event loop turns, miss nothing of the
 * first 256 KiB.
 *
 * @example
 * const job = new BashJob({ command: 'npm test' }, '/path/to/project', false, { timeout: 120_000 });
 * job.on('data', (chunk, stream) => process[stream].write(chunk));
 * job.on('exit', (code, signal) => console.log(code ?? signal));
 */
export class BashJob extends Job {
  /**
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong or unknown option, which it names. Wrong arguments are
   * no error: they are an `exit`, as with `bash()`.
   */
  constructor(
    args: BashArgs | null | undefined,
    workspaceRoot: string,
    safeMode?: boolean,
    options?: BashJobOptions,
  );
}

/** How a table of jobs keeps them. A value of `undefined` is an absent one. */
export interface JobsOptions {
  /** How many may run at the same time, at least 1. Default 15. */
  maxRunning?: number | undefined;
  /** How long a job that is over is kept (ms), at most 2,147,483,647. Default 300,000. */
  retention?: number | undefined;
  /** How many that are over are kept; the one that ended first goes first. Default 100. */
  maxFinished?: number | undefined;
  /**
   * How much memory may be kept of those that are over (bytes): the text of their results, and what `read()` gives. The one
   * that ended first goes first; the one that ended last stays, however large it is. Default 67,108,864.
   */
  maxFinishedBytes?: number | undefined;
  /**
   * What becomes of running jobs when Node ends: they are killed (default), also when Node is killed; or left. Of a table
   * with `'leave'` that is so for each command of `run()` that may go on in it, from its start.
   */
  onHostExit?: 'kill' | 'leave' | undefined;
  /** How much of each job's latest output `read()` can give (bytes), from 0 to 268,435,456. Default 1,048,576. */
  readBytes?: number | undefined;
}

/** How to wait for jobs. A value of `undefined` is an absent one. */
export interface WaitOptions {
  /** For all of them (default), or for any: also for one that is over already. */
  mode?: 'all' | 'any' | undefined;
  /** How long at most (ms), up to 2,147,483,647; 0 only looks. Default: no limit. The jobs run on. */
  timeout?: number | undefined;
  /** Ends the waiting, not the jobs. */
  signal?: AbortSignal | undefined;
}

/** How the waiting ended, and what of. */
export interface WaitResult {
  /** `done`: what was waited for has come. */
  status: 'done' | 'timeout' | 'aborted';
  /** The results of those that are over, in the order of the ids. Each has its `jobId`. */
  finished: RunResult[];
  /** The ids of those that still run, in the order of the ids. */
  pending: string[];
}

/**
 * A table of background jobs: those that {@link Jobs.start} starts, and those that {@link run} leaves to it.
 *
 * A job that is over is kept for a while, so that its result and its output can still be read. Then it is forgotten:
 * its text is freed and its spill file removed.
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
   * Starts a command as a job. It keeps Node alive until it is over, unless `unref()` is called.
   *
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE`, as `run()` rejects with it; Error with code `JOB_LIMIT` when
   *   `maxRunning` jobs run, and `JOBS_DISPOSED` after `dispose()`
   */
  start(command: string | readonly string[], options?: JobOptions): Job;

  /** The job of this id; `undefined` if there is none, or if it is forgotten. */
  get(id: string): Job | undefined;

  /** All jobs, those that run and those that are kept, in the order of their start. */
  list(): Job[];

  /**
   * Waits for jobs to end. It keeps Node alive. An empty list is done at once. A job that is forgotten while it is waited
   * for is in `finished` all the same.
   *
   * @param ids an id, several, or all that are in the table now (default)
   * @throws Error (as a rejection) with code `JOB_NOT_FOUND` for an unknown id; TypeError with code `ERR_INVALID_ARG_VALUE`
   */
  wait(ids?: string | readonly string[], options?: WaitOptions): Promise<WaitResult>;

  /**
   * Sends a signal to a job, as {@link Job.kill}.
   *
   * @returns whether the job was still there; false also for an unknown id
   * @throws TypeError with code `ERR_UNKNOWN_SIGNAL`
   */
  kill(id: string, signal?: SignalName | number): boolean;

  /**
   * The latest output of a job, as {@link Job.read}.
   *
   * @throws Error with code `JOB_NOT_FOUND` for an unknown id
   */
  read(id: string, since?: number): JobOutput;

  /**
   * Kills all running jobs, waits for their ends, forgets all jobs, and removes their spill files. Afterwards `start()`
   * throws; only the default table can still be used. Twice is as good as once.
   */
  dispose(): Promise<void>;

  /** The same as `dispose()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The default table, one for each Node environment (the main thread, each worker). */
export const jobs: Jobs;
