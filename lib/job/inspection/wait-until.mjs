import { ref, unref } from '../../addon/host.mjs';
import { onAbort } from '../abort.mjs';

/**
 * Waits for the first of: `begin`'s call of `settle(status)`, a time, an abort. Node stays alive meanwhile.
 *
 * `begin(settle)` gives functions that are called at the end. It may settle at once.
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
      // A wait that began meanwhile ends here.
      for (const end of ends) end();
    } else if (timeout !== undefined && Number.isFinite(timeout)) {
      const timer = setTimeout(settle, timeout, 'timeout');
      ends.push(() => clearTimeout(timer));
    }
  });
}

export { waitUntil };
