import { setTimeout as sleep } from 'node:timers/promises';

export { sleep };

/** Now (ms), for differences. */
export function now() {
  return performance.now();
}

/** How long it takes until what `work` promises is there (ms). */
export async function timed(work) {
  const begin = now();
  await work();
  return now() - begin;
}
