// Shells that stay between commands.

import type { Job } from '../job/api.ts';
import type { Recording, RecordOptions } from '../live/record/api.ts';
import type { FileOutput } from '../options/command/api.ts';
import type { RunOptions } from '../options/run-api.ts';
import type { Surroundings } from '../options/surroundings/api.ts';
import type { RunResult } from '../result/api.ts';
import type { SignalName } from '../result/output-api.ts';

export interface SessionOptions extends Omit<Surroundings, 'shell'> {
  /**
   * The shell: `'auto'` as for `run()` (default), or the path of a shell named `bash`, `zsh`, `dash`, `ash`
   * or `sh`.
   */
  shell?: 'auto' | (string & {}) | undefined;
  /**
   * The state that one command leaves to the next: `'process'` (default) the shell itself, with all that it
   * has; `'state'` only the directory, variables, exports, functions, aliases, options and the umask, which a
   * fresh shell restores for each command. On a target `'process'` only. See docs/sessions.md.
   */
  keep?: 'process' | 'state' | undefined;
  /**
   * The start files that the shell reads: none (default), those of a login shell, those of an interactive
   * one, or both. They read an empty standard input.
   */
  startFiles?: 'none' | 'login' | 'interactive' | 'both' | undefined;
  /**
   * The longest start of the shell (ms); 0 for no limit. Default 10,000. A command whose shell takes longer
   * fails with `SESSION_START`, as does one whose shell ends before it is ready: its result has the shell's
   * `exitCode` or `signal`, and what the start files have printed.
   */
  startTimeout?: number | undefined;
  /** The most commands that may wait. Default 1,000. More are refused with `SESSION_QUEUE`. */
  maxQueue?: number | undefined;
  /** The treatment of background processes at `close()`: they are ended (default), or left. */
  background?: 'keep' | 'kill' | undefined;
  /**
   * Records what the commands of the session do as an asciicast v3, which asciinema plays: a path, or
   * {@link RecordOptions}. `new ShellSession()` throws the error of the system for a file that exists, or
   * that can't be created. Default: none.
   */
  record?: string | URL | RecordOptions | undefined;
}

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
    | 'record'
    | 'reject'
  > {
  /**
   * Whether the result has the statuses of the last pipeline, in bash and zsh, of a command that surely ends
   * with its text (words, quotes, pipes, lists, redirections). Default false.
   */
  pipeStatus?: boolean | undefined;
}

export interface SessionJobOptions extends Omit<SessionRunOptions, 'reject'> {
  /**
   * `'pipe'`: {@link Job.write} and {@link Job.stdin} give the command its input. Default `'empty'`. Not with
   * `input`.
   */
  stdin?: 'empty' | 'pipe' | undefined;
  /**
   * The reaction when the command waits for input, as with {@link JobOptions.onWaiting}: `'event'` (default)
   * only emits the event `waiting`, `'eof'` ends the input, and `'kill'` ends the command. Only with
   * `stdin: 'pipe'`.
   */
  onWaiting?: 'event' | 'eof' | 'kill' | undefined;
}

/**
 * The result of a command in a session. It differs from the result of {@link run} in these:
 *
 * - `cwd` is the shell's directory after the command (`$PWD` if that is true), or the last known one if the
 *   shell has ended;
 * - `exitCode` is `$?`: 128 plus the signal's number after a program that died by a signal; `null` for a
 *   command that agent-bash ended;
 * - `signal` is set only if the shell itself died by it; `pid` is that of the shell;
 * - `sandbox.refused` has what was refused since the command before it;
 * - `usage` is counted in steps of 10 ms, and has no peak memory.
 */
export type SessionResult = RunResult & {
  /** Whether the shell ended with this command. The next one gets a new shell, without this one's state. */
  shellEnded: boolean;
  /**
   * Whether this was the first command of a new shell, after the shell before had ended by itself: with the
   * command before, which has `shellEnded`, or between the two, by a signal from outside. Not after
   * `restart()`.
   */
  restarted: boolean;
  /** The statuses of the last pipeline, or `null` if not asked for or not known. */
  pipeStatus: number[] | null;
};

/**
 * A shell that stays between commands. Each command has its own output, status and times; directory,
 * variables, functions and all other state of the shell stay. Commands run one after another, in the order of
 * the calls. The first command starts the shell.
 *
 * When a timeout, an `AbortSignal` or `kill()` ends a command, the rest of its list does not run, and the
 * shell keeps its state. If the shell can't be kept, `shellEnded` is true, and the next command gets a new
 * shell. The same holds for `exit`, `exec` and a shell that crashes. docs/sessions.md lists these cases.
 *
 * @example
 * await using session = new ShellSession({ cwd: '/path/to/project' });
 * await session.run('cd packages/core && export NODE_ENV=test');
 * const { stdout, cwd } = await session.run('npm test', { timeout: 120_000 });
 */
export declare class ShellSession implements AsyncDisposable {
  /** @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong or unknown option, which it names */
  constructor(options?: SessionOptions);

  /** `session-1`, … */
  readonly id: string;
  /** The pid of the shell, or `null` while there is none. */
  readonly pid: number | null;
  /** The directory of the shell after the last command, or `null` before the first one. */
  readonly cwd: string | null;
  readonly state: 'idle' | 'starting' | 'busy' | 'closed';
  /** The number of queued commands. */
  readonly pending: number;
  /** The recording of the session, which `close()` completes; `null` without the option `record`. */
  readonly recording: Recording | null;

  /**
   * Runs a command after the queued ones, and resolves with its result. A timeout counts from the command's
   * start, and a command whose signal fires while it waits is not run.
   *
   * @throws (as a rejection) TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong option or command
   *   (blank, with a null byte, over 16 MiB); Error with code `SESSION_CLOSED` after `close()`, and
   *   `SESSION_QUEUE` when `maxQueue` commands wait; {@link CommandError} with `reject`
   */
  run(
    command: string,
    options: SessionRunOptions & { output: FileOutput },
  ): Promise<SessionResult & AsyncDisposable>;
  run(command: string, options?: SessionRunOptions): Promise<SessionResult>;

  /**
   * Runs a command as {@link ShellSession.run} does, and returns it as a job, with events, `write()`,
   * `waiting()`, `ready()` and `kill()`. It keeps no output for `read()`: {@link Job.ready} finds a pattern
   * in what comes after its call. Throws what `run()` rejects with.
   */
  start(command: string, options?: SessionJobOptions): Job;

  /**
   * Sends a signal to the processes of the running command and to the shell, as Ctrl-C does in a terminal.
   * Does not end the command otherwise. Default `SIGINT`.
   *
   * @returns whether a command was running
   * @throws TypeError with code `ERR_UNKNOWN_SIGNAL`
   */
  interrupt(signal?: SignalName | number): boolean;

  /**
   * Ends the shell with its state, and the running command with it (status `aborted`). Waiting commands run
   * in a new shell, in `cwd` or else in the initial directory of the session.
   *
   * @throws (as a rejection) Error with code `SESSION_CLOSED` after `close()`
   */
  restart(options?: { cwd?: string | URL | undefined }): Promise<void>;

  /**
   * Ends the running command and those that wait (status `aborted`; the waiting ones have the code
   * `SESSION_CLOSED`), lets the shell's traps on EXIT run for 2 seconds at most, and ends the shell and,
   * unless `background` is `'keep'`, the background processes of its commands. Idempotent.
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
