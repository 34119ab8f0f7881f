import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { killHost, leftOf, makeWorkspace } from '../support/killed-sandboxes.mjs';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

/**
 * The times of the kills (ms after a host's first command): while sandboxes are built, and while they run.
 */
const MOMENTS = [0, 5, 20, 60, 400, 1_500];

// `node scripts/kill-sandboxes.mjs` kills 30 hosts, and measures.
describe('Node that is killed with commands in sandboxes', { tags: ['sandbox'] }, () => {
  it.each(MOMENTS)('after %i ms leaves no process, mount, stub, journal entry or file', async (moment) => {
    const root = makeWorkspace(temporaryDirectory());
    const seconds = tag();
    const pid = await killHost(root, seconds, moment);
    await until(() => leftOf(root, seconds, pid).length === 0, 'nothing is left').catch(() => {});
    expect(leftOf(root, seconds, pid)).toEqual([]);
  });
});
