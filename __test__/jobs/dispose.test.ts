import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Jobs, jobs, run } from '../../index.js';
import { hardToEnd, printed, STUBBORN, sleepers } from '../life/support.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

describe('Jobs.dispose()', () => {
  it('ends all jobs with all of their trees', async () => {
    const table = new Jobs();
    const seconds = tag();
    const { command, count } = hardToEnd(seconds);
    const started = Array.from({ length: 3 }, () =>
      table.start(`${command}\nexec sleep ${seconds}`, { forceKillAfterDelay: 200 }),
    );
    await until(() => sleepers(seconds).length === 3 * (count + 1), 'all sleep');
    await table.dispose();
    expect({ left: sleepers(seconds), list: table.list(), all: started.map(({ status }) => status) }).toEqual(
      {
        left: [],
        list: [],
        all: ['signaled', 'signaled', 'signaled'],
      },
    );
  });

  it('ends what run() has left to the table', async () => {
    const table = new Jobs();
    const seconds = tag();
    await run(`exec sleep ${seconds}`, { onTimeout: 'background', timeout: 200, jobs: table });
    await run(`sleep ${seconds} >/dev/null 2>&1 &`, { background: 'adopt', jobs: table });
    await until(() => sleepers(seconds).length === 2, 'both sleep');
    await table.dispose();
    expect(sleepers(seconds)).toEqual([]);
  });

  it('leaves alone what is not in the table', async () => {
    const table = new Jobs();
    await using other = new Jobs();
    const job = other.start('exec sleep 60');
    table.start('exec sleep 60');
    await table.dispose();
    expect(job.status).toBe('running');
  });

  it('gives the jobs their results', async () => {
    const table = new Jobs();
    const job = table.start('echo hi; exec sleep 60');
    await printed(job, 'hi');
    const { result } = job;
    await table.dispose();
    expect(await result).toMatchObject({
      status: 'signaled',
      signal: 'SIGTERM',
      stdout: 'hi\n',
      jobId: job.id,
    });
  });

  it('forgets all jobs', async () => {
    const table = new Jobs();
    const job = table.start('echo hi');
    await job.result;
    await table.dispose();
    expect({ get: table.get(job.id), list: table.list(), kill: table.kill(job.id) }).toEqual({
      get: undefined,
      list: [],
      kill: false,
    });
  });

  it('removes the spill files, those of finished jobs and those of running ones', async () => {
    const directory = temporaryDirectory();
    const table = new Jobs();
    const output = { spill: { directory } };
    const finished = await table.start('echo hi', { output }).result;
    const running = table.start('echo ho; exec sleep 60', { output });
    await printed(running, 'ho');
    expect(readdirSync(directory)).toHaveLength(2);
    await table.dispose();
    const { spillPath } = await running.result;
    expect([finished.spillPath, spillPath].map((path) => existsSync(path ?? ''))).toEqual([false, false]);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('ends a job that would never be killed', async () => {
    const table = new Jobs();
    const job = table.start(STUBBORN, { forceKillAfterDelay: false });
    await printed(job, 'deaf');
    await table.dispose();
    expect((await job.result).signal).toBe('SIGKILL');
  });

  it('in the turn of the start leaves nothing', async () => {
    const table = new Jobs();
    const seconds = tag();
    for (let count = 0; count < 10; count++) table.start(`sleep ${seconds} & exec sleep ${seconds}`);
    await table.dispose();
    await until(() => sleepers(seconds).length === 0, 'none is left');
  });

  it('of an empty table is done', async () => {
    await new Jobs().dispose();
  });

  it('twice is as good as once', async () => {
    const table = new Jobs();
    const seconds = tag();
    const job = table.start(`exec sleep ${seconds}`);
    await until(() => sleepers(seconds).length === 1, 'it sleeps');
    await Promise.all([table.dispose(), table.dispose()]);
    await table.dispose();
    expect({ status: job.status, left: sleepers(seconds) }).toEqual({ status: 'signaled', left: [] });
  });

  it('is waited for by every call until the jobs are over', async () => {
    const table = new Jobs();
    const seconds = tag();
    const child = `sh -c "trap '' TERM; exec sleep ${seconds}"`;
    const job = table.start(`${child} & exec sleep ${seconds}`, { forceKillAfterDelay: 300 });
    await until(() => sleepers(seconds).length === 2, 'both sleep');
    table.dispose();
    await table.dispose();
    expect({ status: job.status, left: sleepers(seconds) }).toEqual({ status: 'signaled', left: [] });
  });

  it('lets start() throw from then on', async () => {
    const table = new Jobs();
    await table.dispose();
    expect(() => table.start('true')).toThrow(
      expect.objectContaining({ name: 'Error', code: 'JOBS_DISPOSED' }),
    );
  });

  it('lets start() throw from its call on', async () => {
    const table = new Jobs();
    table.start('exec sleep 60');
    const disposal = table.dispose();
    expect(() => table.start('true')).toThrow(expect.objectContaining({ code: 'JOBS_DISPOSED' }));
    await disposal;
  });

  it('settles pending waits', async () => {
    const table = new Jobs();
    const job = table.start('exec sleep 60');
    const waiting = table.wait();
    await table.dispose();
    const { status, finished, pending } = await waiting;
    expect({ status, ids: finished.map(({ jobId }) => jobId), pending }).toEqual({
      status: 'done',
      ids: [job.id],
      pending: [],
    });
  });

  it('of the default table leaves it usable', async () => {
    const first = jobs.start('echo up; exec sleep 60');
    await printed(first, 'up');
    await jobs.dispose();
    expect({ status: first.status, list: jobs.list() }).toEqual({ status: 'signaled', list: [] });
    const second = jobs.start('echo hi');
    expect((await second.result).stdout).toBe('hi\n');
    await jobs.dispose();
    expect(jobs.list()).toEqual([]);
  });
});

describe('await using', () => {
  it('disposes of a table', async () => {
    const seconds = tag();
    const job = await (async () => {
      await using table = new Jobs();
      const started = table.start(`exec sleep ${seconds}`);
      await until(() => sleepers(seconds).length === 1, 'it sleeps');
      return started;
    })();
    expect({ status: job.status, left: sleepers(seconds) }).toEqual({ status: 'signaled', left: [] });
  });

  it('disposes of a job, which stays in its table', async () => {
    await using table = new Jobs();
    const { id } = await (async () => {
      await using job = table.start('echo hi; exec sleep 60');
      await printed(job, 'hi');
      return job;
    })();
    expect({ status: table.get(id)?.status, text: table.read(id).text }).toEqual({
      status: 'signaled',
      text: 'hi\n',
    });
  });

  it('disposes of a table when its block throws', async () => {
    const seconds = tag();
    const block = async () => {
      await using table = new Jobs();
      table.start(`exec sleep ${seconds}`);
      await until(() => sleepers(seconds).length === 1, 'it sleeps');
      throw new Error('in the block');
    };
    await expect(block()).rejects.toThrow('in the block');
    expect(sleepers(seconds)).toEqual([]);
  });
});
