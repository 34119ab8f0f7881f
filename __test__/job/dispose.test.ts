import { describe, expect, it } from 'vitest';
import { BashJob } from '../../index.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

describe('the disposal of a job', () => {
  it('ends it and waits for its end', async () => {
    const seconds = tag();
    const job = new BashJob({ command: `setsid sleep ${seconds} & sleep ${seconds}` }, '/');
    await until(() => living(`sleep\0${seconds}`).length === 2, 'it sleeps');
    await job[Symbol.asyncDispose]();
    expect(job.status).toBe('signaled');
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('before the start starts nothing', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    await job[Symbol.asyncDispose]();
    expect({ status: job.status, pid: job.pid }).toEqual({ status: 'aborted', pid: null });
  });

  it('during the spawn leaves nothing', async () => {
    const seconds = tag();
    const jobs = Array.from({ length: 10 }, () => new BashJob({ command: `exec sleep ${seconds}` }, '/'));
    await Promise.resolve();
    await Promise.all(jobs.map((job) => job[Symbol.asyncDispose]()));
    for (const { status } of jobs) expect(['aborted', 'signaled']).toContain(status);
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('after the end does nothing', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    await job.result;
    await job[Symbol.asyncDispose]();
    expect(job.status).toBe('exited');
  });

  it('twice is as good as once', async () => {
    const job = new BashJob({ command: 'exec sleep 60' }, '/');
    await Promise.all([job[Symbol.asyncDispose](), job[Symbol.asyncDispose]()]);
    expect(['aborted', 'signaled']).toContain(job.status);
  });
});
