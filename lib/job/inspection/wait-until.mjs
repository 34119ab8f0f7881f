import { ref, unref } from '../../addon/host.mjs';
import { onAbort } from '../abort.mjs';

/**
 * Waits until `begin` calls `settle(status)`, until a timeout, or until an abort. Keeps Node.js alive
 * meanwhile.
 *
 * `begin(settle)` returns functions to call at the end. `begin` may call `settle` at once.
 */
function waitUntil(begin, { timeout, signal }) {
  return new Promise((resolve) => {
    const ends = [];
    let isSettled = false;
    const settle = (status) => {
      if (isSettled) return;
      isSettled = true;
      for (const end of ends) end();
      unref();
      resolve(status);
    };
    ref();
    if (signal?.aborted) return settle('aborted');
    if (signal) ends.push(onAbort(signal, () => settle('aborted')));
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
