import { describe, expect, it } from 'vitest';
import { SETUP } from '../faults/program.js';
import { askNode } from '../support/node.js';

describe('a machine that has no more to give', () => {
  it('of descriptors is a clear error that passes', async () => {
    const report = await askNode<unknown>(`
      ${SETUP}
      await warmUp();
      await calm();
      limit('nofile', 90);
      const restore = exhaust(1);
      const { status, error } = await run('echo hi');
      restore();
      print([status, error, (await run('echo again')).stdout]);
    `);
    expect(report).toEqual(['failed', { code: 'EMFILE', message: 'spawn /bin/bash EMFILE' }, 'again\n']);
  });

  it('of processes is a clear error that passes, after some retries', { tags: ['root'] }, async () => {
    const report = await askNode<unknown>(`
      ${SETUP}
      process.setgroups([]);
      process.setgid(200_000 + process.pid);
      process.setuid(200_000 + process.pid);
      await warmUp();
      const raise = limitLater('nproc', 500);
      limit('nproc', 1);
      const { status, error, durationMs } = await run('echo hi');
      await raise();
      print([status, error, durationMs >= 500 && durationMs < 10_000, (await run('echo again')).stdout]);
    `);
    expect(report).toEqual([
      'failed',
      { code: 'EAGAIN', message: 'spawn /bin/bash EAGAIN' },
      true,
      'again\n',
    ]);
  });
});
