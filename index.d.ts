/// <reference types="node" />
// The types of agent-bash. Written by hand, for people: times are milliseconds, sizes are bytes.

import { EventEmitter } from 'node:events';

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

/** How a command ended. */
export type RunStatus =
  /** It exited; `exitCode` says how. */
  | 'exited'
  /** It died by a signal that nobody here had asked for, or that `kill()` sent; see `signal`. */
  | 'signaled'
  /** It took longer than `timeout`, and was ended. */
  | 'timeout'
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
   * `INVALID_SYNTAX`, `ERR_INVALID_ARG_VALUE`, `ABORT_ERR`, `ETIMEDOUT` (there was no process in time), `INTERNAL`; `ECHILD` when other code in this process has
   * taken the exit status of a command that ran. Stable.
   */
  code: string;
  /** The same in words, such as `spawn /bin/zsh ENOENT`. May change. */
  message: string;
}

/** What is left of a command. What is absent is `null`. */
export interface RunResult {
  /** The command, as given. */
  command: string;
  /** The working directory. */
  cwd: string;
  /** How it ended. */
  status: RunStatus;
  /** The exit code (0 to 255), or `null` if it did not exit by itself. */
  exitCode: number | null;
  /** The signal that ended the process, or `null`. */
  signal: NodeJS.Signals | null;
  /** What was kept of standard output: the first 102,404 bytes. */
  stdout: string;
  /** What was kept of standard error: the first 102,404 bytes. */
  stderr: string;
  /** What `bash()` answers to the same command. */
  output: string;
  /** Whether `output` lacks a part of what was written. */
  truncated: boolean;
  /** How much was written (bytes). */
  totalBytes: { stdout: number; stderr: number };
  /** From the start of the job to its end (ms). */
  durationMs: number;
  /** The process number, or `null` if there was no process. It may be a stranger's by now. */
  pid: number | null;
  /** What went wrong, or `null`. A command that fails by itself is no error: see `exitCode`. */
  error: RunError | null;
}

/** How a job is run. */
export interface BashJobOptions {
  /** How long the command may take (ms). Default 30,000; 0 for no limit. */
  timeout?: number;
  /** Ends the job: SIGTERM, and SIGKILL 5,000 ms later. A signal that has fired already starts nothing. */
  signal?: AbortSignal;
}

/** The events of a {@link BashJob} and what their listeners get. */
export interface BashJobEvents {
  /** Output, as it comes. Never after `exit`. */
  data: [chunk: string, stream: StreamName];
  /** The end, once. As in Node, `code` is `null` after a death by signal, and `signal` is `null` otherwise. */
  exit: [code: number | null, signal: NodeJS.Signals | null, result: RunResult];
}

/**
 * A command whose output is seen while it runs. It takes the arguments of {@link bash}, and its `result.output` is
 * what `bash()` answers.
 *
 * It starts in the next microtask, so listeners that are added right after the constructor miss nothing. Listeners
 * and readers that come later hear what comes from then on; `result` has it all, up to the limit.
 *
 * There is no `error` event: a launch that fails is an `exit` whose result has `error`. When Node ends, its jobs are
 * killed.
 *
 * @example
 * const job = new BashJob({ command: 'npm test' }, '/path/to/project', false, { timeout: 120_000 });
 * job.on('data', (chunk, stream) => process[stream].write(chunk));
 * job.on('exit', (code, signal) => console.log(code ?? signal));
 */
export class BashJob
  extends EventEmitter<BashJobEvents>
  implements AsyncIterable<OutputChunk>, AsyncDisposable
{
  /**
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong option, which it names. Wrong arguments are no
   * error: they are an `exit`, as with `bash()`.
   */
  constructor(
    args: BashArgs | null | undefined,
    workspaceRoot: string,
    safeMode?: boolean,
    options?: BashJobOptions,
  );

  /** Names the job within this Node environment. */
  readonly id: string;

  /** The process number; `null` until there is a process, and for a job that had none. */
  readonly pid: number | null;

  /** Where the job is: `starting`, `running`, or how it ended. */
  readonly status: 'starting' | 'running' | RunStatus;

  /** What is left at the end. Never rejects. */
  readonly result: Promise<RunResult>;

  /**
   * Sends a signal to the whole job: the process, its group and session, its descendants wherever they are.
   *
   * SIGTERM and SIGKILL end the job; SIGKILL follows a SIGTERM after 5,000 ms. Every other signal is only sent. As in
   * Node, 0 sends nothing and only asks.
   *
   * @param signal a name or a number; default `SIGTERM`
   * @returns whether the job was still there
   * @throws TypeError with code `ERR_UNKNOWN_SIGNAL`
   */
  kill(signal?: NodeJS.Signals | number): boolean;

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
