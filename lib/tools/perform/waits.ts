// Waits for events of a job, for a limited time.

import { addAbortListener } from '../../job/abort.ts';
import type { Job } from '../../job/job.ts';
import { inside } from '../../job/job.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';
import type { JobEntry } from '../state/job-entries.ts';

/**
 * Waits until a job has a process, and so the file of its output, or is over: the answer to its start names
 * both, or the error of the launch.
 */
function waitForLaunch(job: Job, waitMs: number, signal: AbortSignal): Promise<void> | undefined {
  return waitWithin(waitMs, signal, (done) => {
    job.once('spawn', done);
    inside.over(job).then(done);
    return () => job.off('spawn', done);
  });
}

/** Waits for the end of a job, for `waitMs` at most. */
function waitForEnd(entry: JobEntry, waitMs: number, signal: AbortSignal): Promise<void> | undefined {
  return waitWithin(waitMs, signal, (done) => {
    inside.over(entry.job).then(done);
  });
}

/** Waits for output of a job from an offset on (bytes from its start), or for its end. */
function waitForOutput(
  entry: JobEntry,
  from: number,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> | undefined {
  return waitWithin(waitMs, signal, (done) => {
    inside.over(entry.job).then(done);
    return onOutput(entry, from, done);
  });
}

/**
 * Calls `listener` at each output from an offset on, and returns a function that removes it. The event of
 * output that an earlier call has read may come after that call.
 */
function onOutput(entry: JobEntry, from: number, listener: () => void): () => void {
  let isNew = false;
  const heard = () => {
    isNew ||= hasNew(entry, from);
    if (isNew) listener();
  };
  entry.job.on('data', heard);
  return () => entry.job.off('data', heard);
}

/** Returns whether a job has written anything from an offset on. */
function hasNew({ job }: Pick<JobEntry, 'job'>, from: number): boolean {
  return job.read(from).cursor > from;
}

/** The silence after which the reply of a program counts as complete (ms). */
const PAUSE_MS = 50;

/** Waits until a job has replied to input, with output from an offset on, and paused, or is over. */
function waitForReply(
  entry: JobEntry,
  from: number,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> | undefined {
  return waitWithin(waitMs, signal, (done) => {
    let timer: NodeJS.Timeout | undefined;
    inside.over(entry.job).then(done);
    const forget = onOutput(entry, from, () => {
      clearTimeout(timer);
      timer = setTimeout(done, PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      forget();
    };
  });
}

/**
 * Waits until `start(done)` calls `done`, for `waitMs` at most, or until the signal fires. Node stays alive.
 */
function waitWithin(
  waitMs: number,
  signal: AbortSignal,
  start: (done: () => void) => (() => void) | undefined,
): Promise<void> | undefined {
  if (!(waitMs > 0) || signal.aborted) return undefined;
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      forget();
      stop?.();
      resolve();
    };
    const timer = setTimeout(end, Math.min(waitMs, 2 ** 31 - 1));
    const forget = addAbortListener(signal, end);
    const stop = start(end);
  });
}

export { hasNew, waitForEnd, waitForLaunch, waitForOutput, waitForReply, waitWithin };
