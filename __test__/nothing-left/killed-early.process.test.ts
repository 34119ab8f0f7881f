import { describe, it } from 'vitest';
import { NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

/** Starts a command and dies after some milliseconds, without waiting for anything. */
function hostThatDies(command: string, after: number): string {
  return `
    const job = new BashJob({ command: ${JSON.stringify(command)}.replaceAll('$TAG', TAG) }, root);
    await Promise.resolve();
    const end = performance.now() + ${after};
    while (performance.now() < end);
    process.kill(process.pid, 'SIGKILL');
  `;
}

const MOMENTS = [0, 1, 2, 3, 5, 8, 12, 20, 35, 60, 110, 200, 400];

describe('Node that is killed by SIGKILL soon after the start of', () => {
  it.each([
    ['a plain job', 'exec sleep $TAG'],
    ['a job with children', 'sleep $TAG & sleep $TAG & wait'],
    ['a job with a session inside', 'setsid sleep $TAG & sleep $TAG'],
    // Begun at moments at which the engine has no reason to look.
    ['a job that begins a session later', 'sleep 0.15; setsid sleep $TAG & sleep $TAG'],
  ])('%s leaves nothing', async (_, command) => {
    for (const moment of MOMENTS) {
      const seconds = tag();
      const host = new NodeProcess(hostThatDies(command, moment), { tag: seconds });
      await host.ended;
      await until(() => living(seconds).length === 0, `none is left after ${moment} ms`, 10_000);
    }
  });

  it('20 jobs leaves nothing', async () => {
    for (const moment of [0, 2, 5, 10, 20, 40, 80]) {
      const seconds = tag();
      const host = new NodeProcess(
        `
          for (let count = 0; count < 20; count++) {
            new BashJob({ command: 'sleep ' + TAG + ' & sleep ' + TAG }, root);
          }
          await Promise.resolve();
          const end = performance.now() + ${moment};
          while (performance.now() < end);
          process.kill(process.pid, 'SIGKILL');
        `,
        { tag: seconds },
      );
      await host.ended;
      await until(() => living(seconds).length === 0, `none is left after ${moment} ms`, 10_000);
    }
  });
});

describe('Node that is killed by SIGKILL', () => {
  it('right after its job has begun a session leaves nothing', async () => {
    const seconds = tag();
    const host = new NodeProcess(
      `
        const command = 'sleep 1.2; setsid sleep ' + TAG + ' & sleep 60';
        new BashJob({ command }, root, false, { timeout: 0 });
        await until(() => living('sleep\\0' + TAG).length === 1, 'the session has begun');
        process.kill(process.pid, 'SIGKILL');
      `,
      { tag: seconds },
    );
    await host.ended;
    await until(() => living(seconds).length === 0, 'none is left', 10_000);
  });
});
