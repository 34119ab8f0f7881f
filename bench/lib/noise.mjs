// Whether the machine is quiet enough for figures.

import { availableParallelism } from 'node:os';

/** A warning when others keep the processors busy; else nothing. */
export function loadWarning(load) {
  const cores = availableParallelism();
  if (load <= cores / 4) return undefined;
  return `NOISY: the load is ${load.toFixed(1)} on ${cores} processors. Ratios shift; do not trust small differences.`;
}

/** A warning when the samples of too many rows lie far apart; else nothing. */
export function spreadWarning(noisy, rows) {
  if (noisy.length <= rows / 10) return undefined;
  return `NOISY: ${noisy.length} of ${rows} rows have a spread above 15 % (marked !). Run it again on a quiet machine.`;
}
