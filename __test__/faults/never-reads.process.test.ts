import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';
import { tag } from '../support/tag.js';
import { SETUP } from './program.js';

const MIB = 1024 * 1024;

const FLOOD = `
  ${SETUP}
  await warmUp();
  await run('head -c 4000000 /dev/zero');
  const before = residentMemory();
  const table = new Jobs();
  // The command writes until backpressure stops it.
  const job = table.start('sleep ' + TAG + ' & exec yes', { output: { maxBytes: 1000 } });
  const iterator = job[Symbol.asyncIterator]();
  await iterator.next();
  const noMoreIsRead = () => unchangedFor(200, () => job.read().cursor);
`;

describe('a consumer that never reads on', () => {
  it('makes the command wait, with little in memory', async () => {
    const report = await askNode<{ growth: number; cursor: number; state: string }>(
      `
        ${FLOOD}
        await noMoreIsRead();
        const { readFileSync } = await import('node:fs');
        const stat = readFileSync('/proc/' + job.pid + '/stat', 'utf8');
        print({
          growth: residentMemory() - before,
          cursor: job.read().cursor,
          state: stat.slice(stat.lastIndexOf(')') + 2)[0],
        });
        process.exit();
      `,
      { tag: tag() },
    );
    expect(report.state).toBe('S');
    expect(report.growth).toBeLessThan(24 * MIB);
    expect(report.cursor).toBeLessThan(8 * MIB);
  });

  it.each(['SIGTERM', 'SIGKILL'])('does not keep %s from ending it', async (signal) => {
    const report = await askNode<unknown>(
      `
        ${FLOOD}
        await noMoreIsRead();
        job.kill('${signal}');
        const { status, signal } = await job.result;
        print({ status, signal, left: living(TAG).length });
      `,
      { tag: tag() },
    );
    expect(report).toEqual({ status: 'signaled', signal, left: 0 });
  });

  it('does not keep the timeout from ending it', async () => {
    const report = await askNode<unknown>(
      `
        ${SETUP}
        const job = new Jobs().start('sleep ' + TAG + ' & exec yes', { timeout: 600 });
        await job[Symbol.asyncIterator]().next();
        const { status, signal, stdout } = await job.result;
        print({ status, signal, isText: /^(y\\n)+$/.test(stdout.slice(0, 1000)), left: living(TAG).length });
      `,
      { tag: tag() },
    );
    expect(report).toEqual({ status: 'timeout', signal: 'SIGTERM', isText: true, left: 0 });
  });

  it('does not slow other jobs down', async () => {
    const report = await askNode<unknown>(
      `
        ${FLOOD}
        await noMoreIsRead();
        const others = await Promise.all(Array.from({ length: 10 }, () => run('seq 50000')));
        await table.dispose();
        print([...new Set(others.map(({ stdout }) => stdout.length))]);
      `,
      { tag: tag() },
    );
    expect(report).toEqual([288_894]);
  });

  it('does not keep dispose() waiting', async () => {
    const report = await askNode<unknown>(
      `
        ${FLOOD}
        await noMoreIsRead();
        await table.dispose();
        print({ status: job.status, left: living(TAG).length, children: (await calm()).children });
      `,
      { tag: tag() },
    );
    expect(report).toEqual({ status: 'signaled', left: 0, children: ['guardian'] });
  });
});
