import { describe, expect, it } from 'vitest';
import { BashJob } from '../../index.js';

describe('the status of a job', () => {
  it('is starting in the turn of its constructor', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    expect(job.status).toBe('starting');
    await job.result;
  });

  it('is running from the next microtask on', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    await Promise.resolve();
    expect(job.status).toBe('running');
    await job.result;
  });

  it('is final when its exit listeners are called', async () => {
    const job = new BashJob({ command: 'exit 1' }, '/');
    const status = await new Promise((resolve) => {
      job.on('exit', () => resolve(job.status));
    });
    expect(status).toBe('exited');
  });

  it('stays final', async () => {
    const job = new BashJob({ command: 'kill -KILL $$' }, '/');
    await job.result;
    expect(job.status).toBe('signaled');
  });

  it('can not be set', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    expect(() => Object.assign(job, { status: 'exited' })).toThrow(TypeError);
    await job.result;
  });
});
