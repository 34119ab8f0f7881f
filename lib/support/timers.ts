// Node.js's own timers, as they were when the package was loaded. Commands run in real time: under the fake timers
// of a test, a wait for one would never end. In a test with replayed commands, the test's double has the timers.

import type { CancelableTimer } from '../addon/seam.ts';
import { theDouble } from '../addon/seam.ts';

type Cleared = Parameters<typeof globalThis.clearTimeout>[0];

const own = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

function schedule(act: (...given: unknown[]) => void, ms: number, ...given: unknown[]): unknown {
  const timers = theDouble()?.timers();
  if (timers === undefined) return own.setTimeout(act, ms, ...given);
  return timers.setTimeout(() => act(...given), ms);
}

function cancel(timer: Cleared | CancelableTimer): void {
  if (typeof timer === 'object' && timer !== null && 'cancel' in timer) timer.cancel();
  else own.clearTimeout(timer as Cleared);
}

export const setTimeout: typeof globalThis.setTimeout = schedule as typeof globalThis.setTimeout;
export const clearTimeout: typeof globalThis.clearTimeout = cancel as typeof globalThis.clearTimeout;
export const setInterval: typeof globalThis.setInterval = globalThis.setInterval;
export const clearInterval: typeof globalThis.clearInterval = globalThis.clearInterval;
export const setImmediate: typeof globalThis.setImmediate = globalThis.setImmediate;
