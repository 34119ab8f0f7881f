// Node.js's own timers. Commands run in real time: under the fake timers of a test, a wait for one would
// never end. In a test with replayed commands, the test's double has the timers.

import type { CancelableTimer } from '../addon/seam.ts';
import { theDouble } from '../addon/seam.ts';
import { original } from './original.ts';

type Cleared = Parameters<typeof globalThis.clearTimeout>[0];

/** The timers of real time, in any test. */
export const realTimers: Pick<typeof globalThis, 'setTimeout' | 'clearTimeout' | 'setImmediate'> = {
  setTimeout: original(globalThis, 'setTimeout'),
  clearTimeout: original(globalThis, 'clearTimeout'),
  setImmediate: original(globalThis, 'setImmediate'),
};

const settled = Promise.resolve();

/** Calls a function, which must not throw, as a microtask: the global function may be fake. */
export function queueMicrotask(act: () => void): void {
  settled.then(act);
}

function schedule(act: (...given: unknown[]) => void, ms: number, ...given: unknown[]): unknown {
  const timers = theDouble()?.timers();
  if (timers === undefined) return realTimers.setTimeout(act, ms, ...given);
  return timers.setTimeout(() => act(...given), ms);
}

function cancel(timer: Cleared | CancelableTimer): void {
  if (typeof timer === 'object' && timer !== null && 'cancel' in timer) timer.cancel();
  else realTimers.clearTimeout(timer as Cleared);
}

export const setTimeout: typeof globalThis.setTimeout = schedule as typeof globalThis.setTimeout;
export const clearTimeout: typeof globalThis.clearTimeout = cancel as typeof globalThis.clearTimeout;
export const setInterval: typeof globalThis.setInterval = original(globalThis, 'setInterval');
export const clearInterval: typeof globalThis.clearInterval = original(globalThis, 'clearInterval');
export const setImmediate: typeof globalThis.setImmediate = realTimers.setImmediate;
