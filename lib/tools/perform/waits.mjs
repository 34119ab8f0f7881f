// Waits for events of a job, for a limited time.

import { onAbort } from '../../job/abort.mjs';
import { inside } from '../../job/job.mjs';

/** Waits for the end of a job. */
function ended(entry, waitMs, signal) {
  return waited(waitMs, signal, (done) => {
    inside.over(entry.job).then(done);
  });
}

/** Waits for output of a job, or its end. */
function spoken(entry, waitMs, signal) {
  return waited(waitMs, signal, (done) => {
    entry.job.on('data', done);
    inside.over(entry.job).then(done);
    return () => entry.job.off('data', done);
  });
}

/** The silence after which the reply of a program counts as complete (ms). */
const PAUSE_MS = 50;

/** Waits until a job has replied to input and paused, or is over. */
function settledDown(entry, waitMs, signal) {
  return waited(waitMs, signal, (done) => {
    let timer;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(done, PAUSE_MS);
    };
    entry.job.on('data', heard);
    inside.over(entry.job).then(done);
    return () => {
      clearTimeout(timer);
      entry.job.off('data', heard);
    };
  });
}

/** Waits until `start(done)` calls `done`, for `waitMs` at most, or until the signal fires. Node stays alive. */
function waited(waitMs, signal, start) {
  if (!(waitMs > 0) || signal.aborted) return undefined;
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      forget();
      stop?.();
      resolve();
    };
    const timer = setTimeout(end, Math.min(waitMs, 2 ** 31 - 1));
    const forget = onAbort(signal, end);
    const stop = start(end);
  });
}

export { ended, settledDown, spoken, waited };
