import { describe, expect, it } from 'vitest';
import { BashJob } from '../../index.js';
import { until } from '../support/processes.mjs';

describe('the id of a job', () => {
  it('is its own', async () => {
    const jobs = Array.from({ length: 50 }, () => new BashJob({ command: 'true' }, '/'));
    expect(new Set(jobs.map((job) => job.id)).size).toBe(50);
    await Promise.all(jobs.map((job) => job.result));
  });

  it('stays the same', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    const { id } = job;
    await job.result;
    expect(job.id).toBe(id);
  });
});

describe('the pid of a job', () => {
  it('is null before there is a process', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    expect(job.pid).toBeNull();
    await job.result;
  });

  it('is that of the shell', async () => {
    const job = new BashJob({ command: 'echo $$; exec sleep 60' }, '/');
    const output = await new Promise((resolve) => {
      job.once('data', resolve);
    });
    const { pid } = job;
    job.kill('SIGKILL');
    await job.result;
    expect(output).toBe(`${pid}\n`);
  });

  it('can be seen without any output', async () => {
    const job = new BashJob({ command: 'exec sleep 60' }, '/');
    expect(await until(() => job.pid, 'there is a process')).toBeGreaterThan(0);
    job.kill('SIGKILL');
    await job.result;
  });

  it('stays after the end, as in the result', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    const { pid } = await job.result;
    expect(job.pid).toBe(pid);
    expect(pid).not.toBeNull();
  });

  it('is null for a job that had no process', async () => {
    const job = new BashJob({ command: 'true' }, '/nowhere');
    await job.result;
    expect(job.pid).toBeNull();
  });
});
