import { ref, unref } from '../../addon/binding.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';
import { addAbortListener } from '../abort.ts';

/** Ends a wait with its status. */
export type Settle<Status> = (status: Status) => void;

type Ended = 'timeout' | 'aborted';

/**
 * Waits until `begin` calls `settle(status)`, until a timeout, or until an abort. Keeps Node.js alive
 * meanwhile.
 *
 * `begin(settle)` returns functions to call at the end. `begin` may call `settle` at once.
 */
function waitUntil<Status extends string>(
  begin: (settle: Settle<Status | Ended>) => (() => void)[],
  { timeout, signal }: { timeout: number | undefined; signal: AbortSignal | undefined },
): Promise<Status | Ended> {
  return new Promise((resolve) => {
    const ends: (() => void)[] = [];
    let isSettled = false;
    const settle = (status: Status | Ended) => {
      if (isSettled) return;
      isSettled = true;
      for (const end of ends) end();
      unref();
      resolve(status);
    };
    ref();
    if (signal?.aborted) return settle('aborted');
    if (signal) ends.push(addAbortListener(signal, () => settle('aborted')));
    ends.push(...begin(settle));
    if (isSettled) {
      // `begin` has settled already, so its functions are called here.
      for (const end of ends) end();
    } else if (timeout !== undefined && Number.isFinite(timeout)) {
      const timer = setTimeout(settle, timeout, 'timeout');
      ends.push(() => clearTimeout(timer));
    }
  });
}

export { waitUntil };
