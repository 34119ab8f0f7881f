// Jobs: running commands.

import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import type { DurableInfo } from '../durable/api.ts';
import type { Recording } from '../live/record/api.ts';
import type { RunResult, RunStatus } from '../result/api.ts';
import type {
  ByteChunk,
  Encoding,
  Output,
  OutputChunk,
  SignalName,
  StreamName,
  TextChunk,
} from '../result/output-api.ts';
import type {
  InputWait,
  ReadyOptions,
  ReadyResult,
  Screen,
  ScreenOptions,
  WaitForScreenOptions,
  WaitForScreenResult,
} from './inspection/api.ts';

/** The events of a {@link Job} and the arguments of their listeners. */
export interface JobEvents<E extends Encoding = 'utf8'> {
  /**
   * The process runs, and `pid` is known. Once, before `exit`, and as in `child_process` not after a failed
   * launch. Also for a first listener that is added later.
   */
  spawn: [];
  /** A chunk of output. Never after `exit`. */
  data: [chunk: Output<E>, stream: StreamName];
  /**
   * The end, once. As in `child_process`, `code` is `null` after a death by signal, and `signal` is `null`
   * otherwise. The type of `signal` is that of `child_process` too, so that its listeners compile;
   * `result.signal` has the type with real-time signals.
   */
  exit: [code: number | null, signal: NodeJS.Signals | null, result: RunResult<E>];
  /**
   * The job has begun to wait for input, once for each wait; output or input ends a wait. Only with a
   * terminal or `stdin: 'pipe'`, on Linux.
   */
  waiting: [wait: InputWait];
  /**
   * The screen of a job with `pty` may have changed: {@link Job.screen} tells. At most once in 5 ms, and
   * before `exit`.
   */
  screen: [];
}

/** The latest output of a job, in this form. */
export type JobOutput<E extends Encoding = 'utf8'> = E extends 'buffer' ? JobBytes : JobText;

export interface JobText {
  /** The text of all chunks together. */
  text: string;
  /** The chunks of both streams, in the order in which they were read. */
  chunks: TextChunk[];
  /** Where the output ends: `since` for the next call (bytes of UTF-8 from the start of the job). */
  cursor: number;
  /** The length of the output between `since` and the first chunk, which is no longer kept (bytes). */
  dropped: number;
}

/** The latest output of a job with `encoding: 'buffer'`. */
export interface JobBytes extends Omit<JobText, 'text' | 'chunks'> {
  /** The bytes of all chunks together. */
  data: Uint8Array;
  /** The chunks of both streams, in the order in which they were read. */
  chunks: ByteChunk[];
}

/**
 * A running command. {@link Jobs.start} and {@link BashJob} make jobs, and {@link run} may turn its command
 * into one.
 *
 * Listeners that are added in the same turn of the event loop as the job miss nothing, unless that turn lasts
 * for more than a second: until it ends, a command with more than 1 MiB of output waits, for at most a
 * second. Later listeners and readers get the output from then on; `result` has all of it, up to its limit.
 *
 * A job emits no `error` event for a failed command: a failed launch is an `exit` whose result has `error`.
 * When Node.js ends, its jobs are killed, unless their table has `onHostExit: 'leave'`.
 *
 * Events go through `emit()`, and `EventEmitter.captureRejections` applies. Unlike with other emitters, a
 * listener of `data` or `exit` that throws does not keep the other listeners from running; its error is an
 * uncaught exception.
 *
 * As with `child_process`, listeners run in the asynchronous context (`AsyncLocalStorage`) of the caller that
 * started the job, and callbacks of `stdin.write()` and `stdin.end()` in that of their caller.
 *
 * @example
 * const job = jobs.start('npm run dev');
 * job.on('data', (text, stream) => process[stream].write(text));
 * await job.ready({ port: true });
 * job.kill();
 * const { status } = await job.result;
 */
export declare abstract class Job<E extends Encoding = 'utf8'>
  extends EventEmitter<JobEvents<E>>
  implements AsyncIterable<OutputChunk<E>>, AsyncDisposable
{
  /** Jobs are made by {@link Jobs.start}, {@link run} and {@link BashJob}. */
  protected constructor();

  /**
   * The id of the job, unique within the main thread or worker: `job-1`, `job-2`, … That of a durable job is
   * random, such as `dk3f9a2m`, and the same in each process.
   */
  readonly id: string;

  /** The command, as in {@link RunResult.command}. */
  readonly command: string;

  /**
   * The pid; `null` until the launch is done (see the event `spawn`), also while `status` is `running`, and
   * for a job that had no process.
   */
  readonly pid: number | null;

  /** The state: `starting` until the launch is queued, then `running`, and at last how the job ended. */
  readonly status: 'starting' | 'running' | RunStatus;

  /**
   * Whether {@link run} has resolved and the command goes on as this job. Such a job does not keep Node.js
   * alive, unless `ref()` is called, `result` is read, or {@link Jobs.wait} waits for it.
   */
  readonly isBackground: boolean;

  /**
   * The recording of this command alone: with its own option `record`, or that of its table, session or
   * toolset with a `directory`. Otherwise, and before the start, `null`. `result` waits until it is complete.
   */
  readonly recording: Recording | null;

  /** The result, at the end. Never rejects. */
  readonly result: Promise<RunResult<E>>;

  /** The standard input as a Node.js stream that buffers 64 KiB. `null` without `stdin: 'pipe'`. */
  readonly stdin: Writable | null;

  /**
   * Writes to the standard input. The queue has no limit; {@link Job.stdin} has backpressure. A command that
   * does not read its input is no error: the rest is dropped.
   *
   * @returns whether the chunk was queued; false without `stdin: 'pipe'`, after `end()`, and after the end of
   *   the job
   * @throws TypeError with code `ERR_INVALID_ARG_VALUE` if the chunk is neither text nor bytes
   */
  write(chunk: string | Uint8Array): boolean;

  /**
   * Ends the standard input after what was written before, and after this chunk. In a terminal, it types
   * Ctrl-D, twice after an unfinished line, and the terminal stays open.
   */
  end(chunk?: string | Uint8Array): void;

  /**
   * Returns the output of a job in a table, while the job runs and until it is forgotten. The table keeps the
   * last `readBytes`. Reading removes nothing. A {@link BashJob} keeps nothing to read.
   *
   * @param since the `cursor` of the last call (bytes); default 0, the start of the job
   * @throws Error with code `JOB_NOT_FOUND` if the job is forgotten; TypeError with code
   *   `ERR_INVALID_ARG_VALUE` for a wrong `since`
   */
  read(since?: number): JobOutput<E>;

  /**
   * Returns the screen of the job's terminal now, or at its end.
   *
   * @param options how many lines that have left the screen are wanted (`scrollback`, default 0)
   * @throws Error with code `NO_TERMINAL` for a job without `pty`, `JOB_NOT_FOUND` when the job is forgotten
   */
  screen(options?: ScreenOptions): Screen;

  /**
   * Changes the size of the job's terminal; the nearest of 2 to 1,000 and 1 to 500 counts. The program gets
   * SIGWINCH.
   *
   * @returns whether the job was live
   * @throws Error as {@link Job.screen}; TypeError with code `ERR_INVALID_ARG_VALUE` for a size that is no
   *   integer
   */
  resize(cols: number, rows: number): boolean;

  /**
   * Waits until the screen shows a text or matches an expression (tried on `text`), or, with `'idle'`, until
   * nothing changes for a while. A pending call keeps Node.js alive. `waiting()` reports whether the program
   * waits for input.
   *
   * @throws Error (as a rejection) as {@link Job.screen}; TypeError with code `ERR_INVALID_ARG_VALUE`
   */
  waitForScreen(
    pattern: RegExp | 'idle' | (string & {}),
    options?: WaitForScreenOptions,
  ): Promise<WaitForScreenResult>;

  /**
   * Resolves with the wait of the job for input now; `null` if it does not wait, or has no input. The answer
   * comes from the kernel, which shows the system calls that the job's threads sleep in (checked twice, 30 ms
   * apart), and not from a guess at prompts. See the event `waiting`.
   *
   * @throws Error (as a rejection) with code `ENOTSUP` where the system does not show system calls (macOS)
   */
  waiting(): Promise<InputWait | null>;

  /**
   * Waits until a process of the job listens on a port, or its output matches a pattern. The output is
   * searched from its start, as far as {@link Job.read} has it (a {@link BashJob}: from now on). A pending
   * call keeps Node.js alive and never ends the job.
   *
   * @throws TypeError (as a rejection) with code `ERR_INVALID_ARG_VALUE`, also for a pattern with
   *   `encoding: 'buffer'`
   */
  ready(options: ReadyOptions): Promise<ReadyResult>;

  /**
   * Sends a signal to the whole job: its process, process group, session, and all descendants.
   *
   * SIGTERM, SIGKILL and the job's `killSignal` end the job; SIGKILL follows after `forceKillAfterDelay`
   * (5,000 ms). Any other signal is only delivered. In a terminal, a process that ignores the ending signal,
   * such as an interactive shell, also gets SIGHUP. As in `child_process`, each call sends its signal, and
   * signal 0 sends nothing and tests whether the job runs.
   *
   * @param signal a name or a number; default: the job's `killSignal`, which is `SIGTERM` by default
   * @returns whether the job still ran
   * @throws TypeError with code `ERR_UNKNOWN_SIGNAL`
   */
  kill(signal?: SignalName | number): boolean;

  /**
   * The facts of the durable job now, or at its end here. `null` before the launch is done, and for a
   * job that is not durable.
   */
  readonly durable: DurableInfo | null;

  /**
   * Lets a durable job go: it runs on, and this object ends with the status `background`. {@link Jobs.attach}
   * attaches to it again.
   *
   * @throws Error with code `NOT_DURABLE`
   */
  detach(): void;

  /**
   * Moves the end of the longest run of a durable job.
   *
   * @param ms the time from now on (ms), at most 30 days
   * @returns the new end (ms since 1970)
   * @throws Error (as a rejection) with code `NOT_DURABLE`, `DURABLE_NOT_FOUND` for a job that has ended,
   *   `DURABLE_OLD`; TypeError (as a rejection) with code `ERR_INVALID_ARG_VALUE`
   */
  extend(ms: number): Promise<number>;

  /** Keeps Node.js alive until the job ends, as in `child_process`. The default. */
  ref(): this;

  /** Lets Node.js end while the job runs, which kills the job, unless its table has `onHostExit: 'leave'`. */
  unref(): this;

  /**
   * Reads the output from now on, both streams in the order in which they were read. A reader that falls
   * behind by 256 Ki characters or bytes slows the command down. `break` ends the reading, not the job.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<OutputChunk<E>>;

  /** Ends the job as `kill()` does, and waits for its end. */
  [Symbol.asyncDispose](): Promise<void>;
}
