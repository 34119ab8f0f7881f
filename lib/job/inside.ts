import type { Result } from '../result/result.ts';
import type { Job } from './job.ts';

/** Package-private access to a job: functions that only other files of `lib/` may call. `Job` sets them. */
export interface Inside {
  /** Returns the number of the job at the addon. */
  number(job: Job): number;
  /** Returns the promise of the result. Unlike reading `result`, it does not keep Node.js alive. */
  over(job: Job): Promise<Result>;
  /** Returns whether the command is over. The result and the events of its end may follow a moment later. */
  isOver(job: Job): boolean;
  /** Returns the promise of the result that resolves when the job's own recording is written too. */
  written(job: Job): Promise<Result>;
  /** Calls `listener(result)` at the end, before all other listeners. */
  onEnd(job: Job, listener: (result: Result) => unknown): void;
  /**
   * Calls `listener(result)` when the command goes on without `run()`. The listener returns whether a table
   * took the job.
   */
  onMove(job: Job, listener: (partial: Result) => boolean): void;
  /** Marks the job as part of a table, so that its result has a `jobId`. */
  list(job: Job): void;
  /** Returns whether SIGKILL follows a signal that ends the job. */
  isForced(job: Job): boolean;
  /** Returns the memory that the addon holds for the latest output and the screen of the job (bytes). */
  kept(job: Job): number;
  /**
   * Sets the listener of the reports about unfinished lines, of standard output and standard error; `null` for
   * none. Each call of `askForUnfinished` asks for one report.
   */
  onUnfinished(job: Job, listener: ((lines: string[]) => void) | null): void;
  askForUnfinished(job: Job): void;
  /** Makes the addon drop what it keeps of a finished job. */
  forget(job: Job): void;
}

const inside: Inside = {} as Inside;

export { inside };
