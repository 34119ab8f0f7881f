// Checks that the machine is quiet enough to measure.

import { availableParallelism } from 'node:os';

/** Returns a warning if other processes keep the processors busy. */
export function loadWarning(load) {
  const cores = availableParallelism();
  if (load <= cores / 4) return undefined;
  return `NOISY: the load is ${load.toFixed(1)} on ${cores} processors. Ratios shift; do not trust small differences.`;
}

/** Returns a warning if the samples of too many rows differ widely. */
export function spreadWarning(noisy, rows) {
  if (noisy.length <= rows / 10) return undefined;
  return `NOISY: ${noisy.length} of ${rows} rows have a spread above 15 % (marked !). Run it again on a quiet machine.`;
}
