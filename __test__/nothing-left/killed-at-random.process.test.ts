import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Random } from '../differential/seed.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX, NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const random = new Random(0);

/** The times at which the Nodes are killed (ms after the first command): half of them in the first 40. */
const MOMENTS = [
  ...Array.from({ length: 25 }, (_, index) => index * 1.6),
  ...Array.from({ length: 25 }, (_, index) => 40 + index * 15),
].map((moment) => moment + random.next() * 1.6);

/** The number of Nodes that run at the same time. */
const AT_ONCE = 5;

/**
 * Starts jobs whose daemons fork twice, leave their session, close their output and outlive their parents,
 * and kills itself. It writes a byte first, so that a Node that could start nothing is noticed.
 */
function hostThatDies(started: string, moment: number): string {
  return `
    import { writeFileSync } from 'node:fs';
    import all from ${JSON.stringify(INDEX)};
    const daemon = '(setsid sh -c "sleep ' + TAG + ' & exit" >/dev/null 2>&1 &)';
    writeFileSync(${JSON.stringify(started)}, '.');
    const end = performance.now() + ${moment};
    for (let count = 0; count < 3; count++) {
      all.run(daemon + '; ' + daemon + '; sleep ' + TAG, { shell: '/bin/sh' });
      all.run(daemon + '; setsid sleep ' + TAG, { shell: '/bin/sh' });
    }
    // Half of them with a loop that turns, half in the middle of a turn.
    if (${random.next() < 0.5}) while (performance.now() < end);
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), Math.max(0, end - performance.now()));
  `;
}

describe.runIf(process.platform === 'linux')('Node that is killed by SIGKILL at random moments', () => {
  const directory = temporaryDirectory();

  it('leaves no daemon of its jobs', async () => {
    const moments = [...MOMENTS];
    const one = async () => {
      for (let moment = moments.pop(); moment !== undefined; moment = moments.pop()) {
        const seconds = tag();
        const started = join(mkdtempSync(join(directory, 'host-')), 'started');
        const { signal } = await new NodeProcess(hostThatDies(started, moment), { tag: seconds }).ended;
        expect(signal).toBe('SIGKILL');
        expect(existsSync(started) && readFileSync(started, 'utf8')).toBe('.');
        await until(() => living(seconds).length === 0, `none is left after ${moment} ms`, 10_000);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  }, 60_000);
});
