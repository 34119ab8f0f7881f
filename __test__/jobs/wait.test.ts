import { getEventListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, type WaitOptions } from '../../index.js';
import { printed } from '../life/support.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';

const directory = temporaryDirectory();
let files = 0;

/** A command that ends with this code when `release()` is called. */
function gated(code: number): { command: string; release: () => void } {
  const file = join(directory, `gate-${files++}`);
  return {
    command: `until [ -e ${file} ]; do sleep 0.02; done; exit ${code}`,
    release: () => writeFileSync(file, ''),
  };
}

describe('Jobs.wait() for all', () => {
  it('gives the results in the order of the ids', async () => {
    await using table = new Jobs();
    const [first, second, third] = [3, 4, 5].map((code) => table.start(`sleep 0.${9 - code}; exit ${code}`));
    const ids = [second?.id ?? '', third?.id ?? '', first?.id ?? ''];
    const { status, finished, pending } = await table.wait(ids);
    expect({ status, pending }).toEqual({ status: 'done', pending: [] });
    expect(finished.map(({ jobId, exitCode }) => [jobId, exitCode])).toEqual([
      [ids[0], 4],
      [ids[1], 5],
      [ids[2], 3],
    ]);
  });

  it('takes one id', async () => {
    await using table = new Jobs();
    const job = table.start('exit 3');
    table.start('exec sleep 60');
    const { status, finished, pending } = await table.wait(job.id);
    expect({ status, finished, pending }).toEqual({
      status: 'done',
      finished: [await job.result],
      pending: [],
    });
  });

  it('waits for all that are in the table now when no ids are given', async () => {
    await using table = new Jobs();
    const gate = gated(3);
    const job = table.start(gate.command);
    const done = table.start('exit 4');
    const waiting = table.wait();
    // wait() does not wait for a job that starts later.
    const later = table.start('exec sleep 60');
    await done.result;
    gate.release();
    const { status, finished, pending } = await waiting;
    expect({ status, ids: finished.map(({ jobId }) => jobId), pending, later: later.status }).toEqual({
      status: 'done',
      ids: [job.id, done.id],
      pending: [],
      later: 'running',
    });
  });

  it('gives a job once that is named twice', async () => {
    await using table = new Jobs();
    const job = table.start('exit 3');
    expect((await table.wait([job.id, job.id])).finished).toHaveLength(1);
  });

  it('gives the very result of the job', async () => {
    await using table = new Jobs();
    const job = table.start('exit 3');
    const { finished } = await table.wait(job.id);
    expect(finished[0]).toBe(await job.result);
  });

  it('of jobs that are over is done at once', async () => {
    await using table = new Jobs();
    const jobs = [table.start('exit 3'), table.start('exit 4')];
    await Promise.all(jobs.map((job) => job.result));
    const { status, finished } = await table.wait(undefined, { timeout: 0 });
    expect({ status, codes: finished.map(({ exitCode }) => exitCode) }).toEqual({
      status: 'done',
      codes: [3, 4],
    });
  });

  it('wakes when the last one ends by a kill', async () => {
    await using table = new Jobs();
    const jobs = [1, 2].map(() => table.start('echo up; exec sleep 60'));
    for (const job of jobs) await printed(job, 'up');
    const waiting = table.wait();
    for (const job of jobs) job.kill();
    expect((await waiting).finished.map(({ status }) => status)).toEqual(['signaled', 'signaled']);
  });
});

describe('Jobs.wait() for any', () => {
  it('is done with the first end', async () => {
    await using table = new Jobs();
    const gate = gated(3);
    const slow = table.start('exec sleep 60');
    const job = table.start(gate.command);
    const waiting = table.wait([slow.id, job.id], { mode: 'any' });
    gate.release();
    const { status, finished, pending } = await waiting;
    expect({ status, ids: finished.map(({ jobId }) => jobId), pending }).toEqual({
      status: 'done',
      ids: [job.id],
      pending: [slow.id],
    });
  });

  it('is done at once when one has ended already', async () => {
    await using table = new Jobs();
    const job = table.start('exit 3');
    await job.result;
    const slow = table.start('exec sleep 60');
    const { status, finished, pending } = await table.wait(undefined, { mode: 'any' });
    expect({ status, codes: finished.map(({ exitCode }) => exitCode), pending }).toEqual({
      status: 'done',
      codes: [3],
      pending: [slow.id],
    });
  });

  it('gives all that are over', async () => {
    await using table = new Jobs();
    const jobs = [table.start('exit 3'), table.start('exit 4')];
    await Promise.all(jobs.map((job) => job.result));
    const slow = table.start('exec sleep 60');
    const { finished, pending } = await table.wait([slow.id, ...jobs.map(({ id }) => id)], { mode: 'any' });
    expect({ codes: finished.map(({ exitCode }) => exitCode), pending }).toEqual({
      codes: [3, 4],
      pending: [slow.id],
    });
  });
});

describe('Jobs.wait() for nothing', () => {
  it.each<WaitOptions>([{}, { mode: 'all' }, { mode: 'any' }, { timeout: 0 }])(
    'is done at once with %j',
    async (options) => {
      await using table = new Jobs();
      const nothing = { status: 'done', finished: [], pending: [] };
      expect(await table.wait([], options)).toEqual(nothing);
      expect(await table.wait(undefined, options)).toEqual(nothing);
    },
  );
});

describe('the timeout of Jobs.wait()', () => {
  it('ends the waiting, not the jobs', async () => {
    await using table = new Jobs();
    const quick = table.start('exit 3');
    const slow = table.start('exec sleep 60');
    await quick.result;
    const before = performance.now();
    const { status, finished, pending } = await table.wait([slow.id, quick.id], { timeout: 200 });
    expect(performance.now() - before).toBeGreaterThanOrEqual(199);
    expect({ status, ids: finished.map(({ jobId }) => jobId), pending, slow: slow.status }).toEqual({
      status: 'timeout',
      ids: [quick.id],
      pending: [slow.id],
      slow: 'running',
    });
  });

  it('of 0 only looks', async () => {
    await using table = new Jobs();
    const slow = table.start('exec sleep 60');
    expect(await table.wait(slow.id, { timeout: 0 })).toEqual({
      status: 'timeout',
      finished: [],
      pending: [slow.id],
    });
  });

  it('that is long does not delay the answer', async () => {
    await using table = new Jobs();
    const { status } = await table.wait(table.start('true').id, { timeout: 2_147_483_647 });
    expect(status).toBe('done');
  });
});

describe('the signal of Jobs.wait()', () => {
  it('ends the waiting, not the jobs', async () => {
    await using table = new Jobs();
    const quick = table.start('exit 3');
    await quick.result;
    const slow = table.start('exec sleep 60');
    const controller = new AbortController();
    const waiting = table.wait(undefined, { signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    const { status, finished, pending } = await waiting;
    expect({ status, codes: finished.map(({ exitCode }) => exitCode), pending, slow: slow.status }).toEqual({
      status: 'aborted',
      codes: [3],
      pending: [slow.id],
      slow: 'running',
    });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('that fired before ends it at once', async () => {
    await using table = new Jobs();
    const slow = table.start('exec sleep 60');
    expect(await table.wait(slow.id, { signal: AbortSignal.abort() })).toEqual({
      status: 'aborted',
      finished: [],
      pending: [slow.id],
    });
  });

  it('that fired before does not matter when all are over', async () => {
    await using table = new Jobs();
    const job = table.start('true');
    await job.result;
    expect((await table.wait(job.id, { signal: AbortSignal.abort() })).status).toBe('done');
  });

  it('has no listener when the waiting is over', async () => {
    await using table = new Jobs();
    const { signal } = new AbortController();
    await table.wait(table.start('true').id, { signal });
    await table.wait(table.start('exec sleep 60').id, { signal, timeout: 50 });
    await table.wait([], { signal });
    await expect(table.wait('job-0', { signal })).rejects.toThrow();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('may serve many waits and a job at the same time', async () => {
    await using table = new Jobs();
    const controller = new AbortController();
    const { signal } = controller;
    const job = table.start('exec sleep 60', { signal });
    const other = table.start('exec sleep 60');
    const waits = Array.from({ length: 30 }, () => table.wait([job.id, other.id], { signal }));
    controller.abort();
    for (const { status } of await Promise.all(waits)) expect(status).toBe('aborted');
    expect((await job.result).status).toBe('aborted');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('Jobs.wait()', () => {
  it.each([['job-0'], [''], [['job-0']]])('rejects for the unknown id %j', async (ids) => {
    await using table = new Jobs();
    await expect(table.wait(ids)).rejects.toMatchObject({ name: 'Error', code: 'JOB_NOT_FOUND' });
  });

  it('names the id that is unknown', async () => {
    await using table = new Jobs();
    const job = table.start('exec sleep 60');
    await expect(table.wait([job.id, 'job-none'])).rejects.toThrow('Background job not found: job-none');
  });

  it.each<[string, unknown, unknown]>([
    ['ids', 5, {}],
    ['ids', null, {}],
    ['options.mode', [], { mode: 'some' }],
    ['options.timeout', [], { timeout: -1 }],
    ['options.timeout', [], { timeout: 2 ** 31 }],
    ['options.timeout', [], { timeout: Number.NaN }],
    ['options.signal', [], { signal: 'x' }],
    ['options.until', [], { until: 1 }],
    ['options', [], null],
  ])('rejects with a TypeError for wrong %s', async (name, ids, options) => {
    await using table = new Jobs();
    await expect(table.wait(ids as string[], options as WaitOptions)).rejects.toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_VALUE',
      message: expect.stringContaining(`'${name}'`),
    });
  });

  it('never throws by itself', async () => {
    await using table = new Jobs();
    const promise = table.wait('job-0', { mode: 'x' as 'any' });
    expect(promise).toBeInstanceOf(Promise);
    await expect(promise).rejects.toThrow();
  });

  it('gives a job that is forgotten while it is waited for', async () => {
    await using table = new Jobs({ maxFinished: 0 });
    const [first, second] = [table.start('exit 3'), table.start('sleep 0.3; exit 4')];
    const waiting = table.wait();
    await until(() => table.get(first.id) === undefined, 'the first is forgotten');
    const { finished, pending } = await waiting;
    expect({ codes: finished.map(({ exitCode }) => exitCode), pending }).toEqual({
      codes: [3, 4],
      pending: [],
    });
    expect(table.get(second.id)).toBeUndefined();
  });

  it('has the jobs in the table marked as over when it answers', async () => {
    await using table = new Jobs();
    const job = table.start('exit 3');
    await table.wait(job.id);
    expect({ status: job.status, killed: job.kill() }).toEqual({ status: 'exited', killed: false });
  });
});
