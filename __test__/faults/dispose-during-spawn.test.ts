import { describe, expect, it } from 'vitest';
import { BashJob, Jobs } from '../../index.js';
import { living } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { deliberateDelay } from '../support/waits.mjs';

describe('a table that is disposed of while its jobs are being started', () => {
  it.each([0, 1, 2, 5, 10])('after %i ms leaves none of them', async (milliseconds) => {
    const seconds = tag();
    const table = new Jobs({ maxRunning: 30 });
    const jobs = Array.from({ length: 30 }, (_, index) =>
      table.start(
        ['exec sleep $T', 'setsid sleep $T & sleep $T'][index % 2]?.replaceAll('$T', seconds) ?? '',
      ),
    );
    if (milliseconds > 0) await deliberateDelay(milliseconds);
    await table.dispose();
    const results = await Promise.all(jobs.map((job) => job.result));
    for (const { status, error, pid, signal } of results) {
      // Jobs that had no process yet get none.
      if (pid === null) expect([status, error?.code]).toEqual(['aborted', 'ABORT_ERR']);
      else expect([status, signal]).toEqual(['signaled', 'SIGTERM']);
    }
    expect(living(`sleep\0${seconds}`)).toEqual([]);
    expect(table.list()).toEqual([]);
  });

  it('twice at the same time is as good as once', async () => {
    const seconds = tag();
    const table = new Jobs();
    const job = table.start(`sleep ${seconds}`);
    await Promise.all([table.dispose(), table.dispose(), table[Symbol.asyncDispose]()]);
    expect(['signaled', 'aborted']).toContain(job.status);
    expect(living(seconds)).toEqual([]);
  });

  it('takes no more jobs at once', async () => {
    const table = new Jobs();
    table.start('exec sleep 60');
    const disposal = table.dispose();
    expect(() => table.start('true')).toThrow(expect.objectContaining({ code: 'JOBS_DISPOSED' }));
    await disposal;
  });

  it('leaves the jobs of other tables alone', async () => {
    const [first, second] = [new Jobs(), new Jobs()];
    const job = second.start('sleep 0.1; echo fine');
    first.start('exec sleep 60');
    await first.dispose();
    expect((await job.result).stdout).toBe('fine\n');
    await second.dispose();
  });
});

describe('a job that is disposed of', () => {
  it.each([
    ['in the same turn', 0],
    ['a moment later', 3],
  ])('%s leaves nothing', async (_, milliseconds) => {
    const seconds = tag();
    const table = new Jobs({ maxRunning: 20 });
    const jobs = Array.from({ length: 20 }, () => table.start(`exec sleep ${seconds}`));
    if (milliseconds > 0) await deliberateDelay(milliseconds);
    await Promise.all(jobs.map((job) => job[Symbol.asyncDispose]()));
    for (const { status } of jobs) expect(['signaled', 'aborted']).toContain(status);
    expect(living(seconds)).toEqual([]);
    await table.dispose();
  });

  it('before its start was never started', async () => {
    const job = new BashJob({ command: 'echo never' }, '/');
    await job[Symbol.asyncDispose]();
    expect({ status: job.status, pid: job.pid }).toEqual({ status: 'aborted', pid: null });
  });
});
