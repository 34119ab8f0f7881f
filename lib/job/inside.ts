import type { DurableLink } from '../durable/durable-link.ts';
import type { Result } from '../result/result.ts';
import type { Job } from './job.ts';

/** How `run()` or a table of jobs keeps a job, and their callbacks. */
export interface Table {
  /** Whether a table has the job, so that its result has a `jobId`. */
  isListed: boolean;
  isForgotten: boolean;
  /** Takes a command that goes on without `run()`. Returns whether a table took the job. */
  onMove: ((partial: Result) => boolean) | null;
  /**
   * Gets the reports about unfinished lines, of standard output and standard error: one for each
   * `askForUnfinished`.
   */
  onUnfinished: ((lines: string[]) => void) | null;
  /** Functions that are called at the end, before all other listeners. */
  onEnd: ((result: Result) => unknown)[];
}

/** Package-private access to a job: functions that only other files of `lib/` may call. `Job` sets them. */
export interface Inside {
  /** Returns the number of the job at the addon. */
  number(job: Job): number;
  /** Returns the durable job of a job; `undefined` for one that ends with its host. */
  durable(job: Job): DurableLink | undefined;
  /** Returns the promise of the result. Unlike reading `result`, it does not keep Node.js alive. */
  over(job: Job): Promise<Result>;
  /** Returns whether the command is over. The result and the events of its end may follow a moment later. */
  isOver(job: Job): boolean;
  /** Returns the promise of the result that resolves when the job's own recording is written too. */
  written(job: Job): Promise<Result>;
  table(job: Job): Table;
  /** Returns whether SIGKILL follows a signal that ends the job. */
  isForced(job: Job): boolean;
  /** Returns the memory that the addon holds for the latest output and the screen of the job (bytes). */
  kept(job: Job): number;
  askForUnfinished(job: Job): void;
  /** Makes the addon drop what it keeps of a finished job. */
  forget(job: Job): void;
}

const inside: Inside = {} as Inside;

export { inside };
