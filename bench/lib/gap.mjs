// The largest gap of the event loop: how long JavaScript could not do anything else.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { now, sleep } from './time.mjs';

/** Starts to measure gaps. The returned function ends that and resolves with the largest gap (ms). */
export async function watchGaps() {
  const watcher = globalThis.Bun ? tick() : monitor();
  await sleep(SETTLE_MS);
  return async () => {
    // The last gap is known only when the loop has come round again.
    await sleep(SETTLE_MS);
    return watcher.largest();
  };
}

const SETTLE_MS = 5;

/** Node's own timer runs in C++, and costs less than one in JavaScript. */
function monitor() {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  return {
    largest() {
      histogram.disable();
      return histogram.max / 1e6;
    },
  };
}

/** A timer in JavaScript, for Bun. */
function tick() {
  let largest = 0;
  let last = now();
  const timer = setInterval(() => {
    const at = now();
    largest = Math.max(largest, at - last);
    last = at;
  }, 1);
  return {
    largest() {
      clearInterval(timer);
      return largest;
    },
  };
}
