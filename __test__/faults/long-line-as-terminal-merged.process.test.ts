import { describe, it } from 'vitest';
import { checkLongLine } from './long-line.js';

describe.each([{ merge: true, stripAnsi: true }])('a line of 157 MB with %o', (options) => {
  it.each(['head', 'tail', 'both'] as const)(
    'of which the %s is kept as a terminal shows both streams, is counted and takes no memory',
    async (keep) => {
      await checkLongLine(keep, options);
    },
  );
});
