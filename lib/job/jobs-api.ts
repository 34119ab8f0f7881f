// Tables of jobs.

import type { DurableFilter, DurableInfo, DurableOptions } from '../durable/api.ts';
import type { Recording, RecordOptions } from '../live/record/api.ts';
import type { CommandOptions } from '../options/command/api.ts';
import type { RedactOptions } from '../options/surroundings/api.ts';
import type { RunResult } from '../result/api.ts';
import type { Encoding, SignalName } from '../result/output-api.ts';
import type { Job, JobOutput } from './api.ts';

export interface JobOptions<E extends Encoding = 'utf8'> extends CommandOptions<E> {
  /**
   * `'pipe'`: {@link Job.write} and {@link Job.stdin} write the standard input. Not with `input`. Default
   * `'empty'`.
   */
  stdin?: 'empty' | 'pipe' | undefined;
  /**
   * The reaction when the job waits for input: `'event'` (default) only emits the event `waiting`; `'eof'`
   * ends the input, and `'kill'` ends the job, as with {@link RunOptions.onWaiting}. Has an effect only with
   * `pty` or `stdin: 'pipe'`.
   */
  onWaiting?: 'event' | 'eof' | 'kill' | undefined;
}

export interface JobsOptions {
  /** The most jobs that may run at the same time, at least 1. Default 15. */
  maxRunning?: number | undefined;
  /** The time for which a finished job is kept (ms), at most 2,147,483,647. Default 300,000. */
  retention?: number | undefined;
  /** The most finished jobs that are kept; the one that ended first is forgotten first. Default 100. */
  maxFinished?: number | undefined;
  /**
   * The most memory of finished jobs (bytes): the text of their results, and the text for `read()`. The job
   * that ended first is forgotten first; the job that ended last stays, however large. Default 67,108,864.
   */
  maxFinishedBytes?: number | undefined;
  /**
   * The treatment of running jobs when Node.js ends: `'kill'` (default) ends them, even if Node.js is killed;
   * `'leave'` lets them run. `'leave'` applies from its start to each command of {@link run} that may become
   * a job of this table.
   */
  onHostExit?: 'kill' | 'leave' | undefined;
  /**
   * The latest output of each job that is kept for `read()` (bytes), from 0 to 268,435,456. Default
   * 1,048,576.
   */
  readBytes?: number | undefined;
  /**
   * Records what the jobs of the table do as an asciicast v3, which asciinema plays: a path, or
   * {@link RecordOptions}. `new Jobs()` throws the error of the system for a file that exists, or that can't
   * be created. Default: none.
   */
  record?: string | URL | RecordOptions | undefined;
  /**
   * Makes the jobs of the table durable: they outlive this process, whatever ends it, and any process of this
   * user can find them, read their output, write to them and end them. A process of agent-bash watches over
   * each. Linux only: elsewhere a TypeError with code `ERR_FEATURE_UNAVAILABLE`. A job ends when no process
   * of it is left, so `background` is a TypeError, and so are `onHostExit` and a `target`. Default false.
   */
  durable?: boolean | DurableOptions | undefined;
}

export interface WaitOptions {
  /** Whether to wait for all jobs (default) or for any. A job that has already ended counts. */
  mode?: 'all' | 'any' | undefined;
  /** The longest wait (ms), at most 2,147,483,647; 0 returns at once. The jobs run on. Default: no limit. */
  timeout?: number | undefined;
  /** Ends the wait, not the jobs. */
  signal?: AbortSignal | undefined;
}

export interface WaitResult<E extends Encoding = 'utf8'> {
  /** The result of the wait: `done` if all (or any) of the jobs have ended. */
  status: 'done' | 'timeout' | 'aborted';
  /** The results of the jobs that have ended, in the order of the ids. Each has its `jobId`. */
  finished: RunResult<E>[];
  /** The ids of the jobs that still run, in the order of the ids. */
  pending: string[];
}

/**
 * A table of background jobs: those that {@link Jobs.start} starts, and those that {@link run} leaves to the
 * table.
 *
 * A finished job is kept for a while, so that its result and output can still be read. Then the table forgets
 * it: its text is freed and its spill file removed.
 *
 * An id does not tell the `encoding` of its job. So {@link Jobs.get}, `list()`, `wait()` and `read()` have
 * the types of text, unless the caller names another one: `jobs.read<'buffer'>(id)`.
 *
 * @example
 * const server = jobs.start('npm run dev', { cwd: '/path/to/project' });
 * const { text, cursor } = jobs.read(server.id);
 * await jobs.wait(server.id, { timeout: 10_000 });
 * jobs.kill(server.id);
 */
export declare class Jobs implements AsyncDisposable {
  /** @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong or unknown option, which it names */
  constructor(options?: JobsOptions);

  /**
   * Starts a command as a job. The job keeps Node.js alive until it ends, unless `unref()` is called.
   *
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a blank command or a wrong option; Error with
   *   code `JOB_LIMIT` if `maxRunning` jobs run, and `JOBS_DISPOSED` after `dispose()`
   */
  start<E extends Encoding = 'utf8'>(command: string | readonly string[], options?: JobOptions<E>): Job<E>;

  /** The recording of the table, which `dispose()` completes; `null` without the option `record`. */
  readonly recording: Recording | null;

  /** Returns the job with this id, or `undefined` if there is none or the table has forgotten it. */
  get<E extends Encoding = 'utf8'>(id: string): Job<E> | undefined;

  /** Returns all jobs, running and finished, in the order of their start. */
  list<E extends Encoding = 'utf8'>(): Job<E>[];

  /**
   * Waits for jobs to end. A pending wait keeps Node.js alive. An empty list resolves at once. A job that is
   * forgotten during the wait is still in `finished`.
   *
   * @param ids one id, several, or all jobs that are in the table now (default)
   * @throws Error (as a rejection) with code `JOB_NOT_FOUND` for an unknown id; TypeError (as a rejection)
   *   with code `ERR_INVALID_ARG_VALUE` for a wrong option
   */
  wait<E extends Encoding = 'utf8'>(
    ids?: string | readonly string[],
    options?: WaitOptions,
  ): Promise<WaitResult<E>>;

  /**
   * Attaches to the running durable job of this name, or starts it. Processes that do this at the same time
   * start it once. An attachment has the output from now on; the options are those of a start.
   *
   * @throws Error (as a rejection) with code `DURABLE_NAME` if the running job has another command,
   *   `NOT_DURABLE` without the option `durable`, and others that begin with `DURABLE_`; as `start()`
   */
  ensure<E extends Encoding = 'utf8'>(
    name: string,
    command: string | readonly string[],
    options?: JobOptions<E>,
  ): Promise<Job<E>>;

  /**
   * Returns the durable jobs of the same directory, owner and root, in the order of their starts, running and
   * ended ones. It first removes those that ended too long ago.
   *
   * @throws Error (as a rejection) with code `NOT_DURABLE`, `DURABLE_DIRECTORY`
   */
  find(filter?: DurableFilter): Promise<DurableInfo[]>;

  /**
   * Attaches to a durable job of any process, also to one that has ended: the job is in this table from then
   * on, with all methods. The events `data` and `read()` begin at `since`.
   *
   * @param options `since`: the offset of the first byte of output (bytes), 0 for all that is kept; default:
   *   what comes from now on, and for a job with a terminal 0, so that it has its screen; `encoding`: as
   *   {@link CommandOptions.encoding}; `redact`: the secret values that this process replaces, as for a
   *   command
   * @throws Error (as a rejection) with code `DURABLE_NOT_FOUND`, `DURABLE_LIMIT`, `DURABLE_OLD`,
   *   `NOT_DURABLE`
   */
  attach<E extends Encoding = 'utf8'>(
    id: string,
    options?: { since?: number | undefined; encoding?: E | undefined; redact?: RedactOptions | undefined },
  ): Promise<Job<E>>;

  /**
   * Ends a durable job without attaching to it: the signal, and SIGKILL after 5 s. Resolves when the job's
   * supervisor has the request, which goes on when this process ends. Nothing for a job that has ended.
   *
   * @param signal default `SIGTERM`
   * @throws Error (as a rejection) with code `DURABLE_NOT_FOUND`, `NOT_DURABLE`
   */
  stop(id: string, signal?: SignalName | number): Promise<void>;

  /** Removes ended durable jobs that are older than their `keep`, or too many. Resolves with their number. */
  sweep(): Promise<number>;

  /**
   * Lets the durable jobs go, which run on, and forgets all jobs. Afterwards the table is disposed of.
   * `dispose()` kills them instead.
   *
   * @throws Error (as a rejection) with code `NOT_DURABLE`
   */
  release(): Promise<void>;

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
  read<E extends Encoding = 'utf8'>(id: string, since?: number): JobOutput<E>;

  /**
   * Kills all running jobs, waits for their ends, forgets all jobs, and removes their spill files. Afterwards
   * `start()` throws `JOBS_DISPOSED`; the default table stays usable. Idempotent.
   */
  dispose(): Promise<void>;

  /** Calls `dispose()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The default table: one for the main thread and one for each worker. */
export declare const jobs: Jobs;
