import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { BashJob, Jobs, jobs as jobsOfRun, run, ShellSession } from '../../index.js';
import { blockThread } from '../support/waits.mjs';

const jobs = new Jobs();
const session = new ShellSession({ shell: '/bin/sh' });

afterAll(async () => {
  await session.close();
  await jobs.dispose();
});

describe('the event spawn', () => {
  it.each([
    ['BashJob', (command: string) => new BashJob({ command }, '/')],
    ['Jobs', (command: string) => jobs.start(command)],
    ['ShellSession', (command: string) => session.start(command)],
  ])('of a job of %s comes once, when the pid is known', async (_, start) => {
    const job = start('sleep 0.1');
    const pids: Array<number | null> = [];
    job.on('spawn', () => pids.push(job.pid));
    const { pid } = await job.result;
    expect(pid).toBeGreaterThan(0);
    expect(pids).toEqual([pid]);
  });

  it('comes before the exit of a command that ends at once', async () => {
    const job = jobs.start(['/bin/true']);
    const events: string[] = [];
    job.on('exit', () => events.push('exit'));
    job.on('spawn', () => events.push(job.pid === null ? 'spawn without a pid' : 'spawn'));
    await job.result;
    expect(events).toEqual(['spawn', 'exit']);
  });

  it('comes for a listener that is added in the same turn, but after the command has ended', async () => {
    const job = jobs.start(['/bin/true']);
    blockThread(200);
    const spawned = once(job, 'spawn');
    expect(await Promise.all([spawned, job.result])).toMatchObject([[], { pid: job.pid }]);
  });

  it('comes for a first listener that is added while the command runs', async () => {
    const job = jobs.start('echo hi; exec sleep 1000');
    await once(job, 'data');
    await once(job, 'spawn');
    const { pid } = job;
    job.kill();
    expect(await job.result).toMatchObject({ pid });
  });

  it('comes for a command that run() has left in the background', async () => {
    const { jobId } = await run('exec sleep 1000', { timeout: 1, onTimeout: 'background' });
    const job = jobsOfRun.get(String(jobId));
    if (job === undefined) throw new Error(`no job ${jobId}`);
    await once(job, 'spawn');
    job.kill();
    expect(await job.result).toMatchObject({ pid: job.pid });
  });

  it.each([
    ['whose launch failed', () => jobs.start(['/no/such/program'])],
    ['that a policy denies', () => jobs.start('rm -rf /', { policy: { mode: 'bypassPermissions' } })],
    ['that was aborted before', () => jobs.start('true', { signal: AbortSignal.abort() })],
  ])('does not come for a command %s', async (_, start) => {
    const job = start();
    let count = 0;
    job.on('spawn', () => count++);
    expect(await job.result).toMatchObject({ pid: null });
    expect(count).toBe(0);
  });

  it('is not emitted without a listener', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    const names: unknown[] = [];
    job.emit = new Proxy(job.emit, {
      apply(emit, self, args) {
        names.push(args[0]);
        return Reflect.apply(emit, self, args);
      },
    });
    await job.result;
    expect(names).toEqual(['exit']);
  });
});
