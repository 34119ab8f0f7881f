import { describe, it } from 'vitest';
import { checkLongLine } from './long-line.js';

describe.each([
  { merge: false, stripAnsi: false },
  { merge: true, stripAnsi: false },
])('a line of 157 MB with %o', (options) => {
  it.each(['head', 'tail', 'both'] as const)(
    'of which the %s is kept is counted and takes no memory',
    async (keep) => {
      await checkLongLine(keep, options);
    },
  );
});
