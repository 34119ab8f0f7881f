import { describe, expect, it } from 'vitest';
import { askNode, NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

describe('the guardian', () => {
  it('is one process for all threads and commands of a Node', async () => {
    const count = await askNode<number>(`
      await Promise.all(Array.from({ length: 50 }, () => bash({ command: 'true' }, root)));
      await until(() => guardians().length > 0, 'it is there');
      await bash({ command: 'true' }, root);
      console.log(guardians().length);
    `);
    expect(count).toBe(1);
  });

  it('ends with its Node', async () => {
    const host = new NodeProcess(`
      await bash({ command: 'true' }, root);
      await until(() => guardians().length > 0, 'it is there');
      console.log('pid:' + guardians()[0]);
    `);
    const pid = Number((await host.ended).stdout.split(':')[1]);
    expect(pid).toBeGreaterThan(0);
    await until(() => !living('agent-bash-guardian').includes(pid), 'it has ended');
  });

  it('that was killed comes back and does its work', async () => {
    const seconds = tag();
    const host = new NodeProcess(
      `
        new BashJob({ command: 'sleep ' + TAG + ' & sleep ' + TAG }, root, false, { timeout: 0 });
        await until(() => guardians().length > 0, 'it is there');
        const [first] = guardians();
        process.kill(first, 'SIGKILL');
        await until(() => guardians().some((pid) => pid !== first), 'it is back');
        console.log('ready');
      `,
      { tag: seconds },
    );
    await host.printed('ready');
    host.process.kill('SIGKILL');
    await host.ended;
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('does not hold the standard streams of its Node open', async () => {
    const host = new NodeProcess(`
      new BashJob({ command: 'exec sleep 60' }, root).unref();
      await until(() => guardians().length > 0, 'it is there');
    `);
    const closed = new Promise((resolve) => {
      host.process.on('close', resolve);
    });
    expect(await closed).toBe(0);
  });
});
