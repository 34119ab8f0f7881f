// The only fixed times that tests wait for: all other waits are for an event, or for a condition (`until` in
// processes.mjs). Plain JavaScript, because programs that a test starts import it too.

import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a time in which something must not happen, or happen no more. The test then checks that. */
export async function nothingFor(ms) {
  await delay(ms);
}

/** Waits for a time that is itself the case: the moment of a kill, a slow reader, a late answer. */
export async function deliberateDelay(ms) {
  await delay(ms);
}

/** Waits until a value has not changed for `ms` milliseconds, and returns it. */
export async function unchangedFor(ms, read) {
  for (let before = read(); ; ) {
    await nothingFor(ms);
    const now = read();
    if (now === before) return now;
    before = now;
  }
}

/** Blocks this thread, with its event loop, for a time that is itself the case. */
export function blockThread(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
