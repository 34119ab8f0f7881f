import { setTimeout as sleep } from 'node:timers/promises';

export { sleep };

/** Returns a monotonic time (ms). */
export function now() {
  return performance.now();
}

/** Returns how long `work` takes (ms). */
export async function timed(work) {
  const begin = now();
  await work();
  return now() - begin;
}
