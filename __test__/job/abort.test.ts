import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BashJob, bash } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventLog } from '../support/event-log.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const root = temporaryDirectory();

describe('an AbortSignal', () => {
  it('that fired before starts nothing', async () => {
    const file = join(root, 'aborted-already');
    const job = new BashJob({ command: `touch ${file}` }, '/', false, { signal: AbortSignal.abort() });
    const { status, error, pid } = await job.result;
    expect({ status, code: error?.code, pid }).toEqual({ status: 'aborted', code: 'ABORT_ERR', pid: null });
    await bash({ command: 'true' }, '/');
    expect(existsSync(file)).toBe(false);
  });

  it('that fires in the turn of the constructor starts nothing', async () => {
    const file = join(root, 'aborted-in-the-same-turn');
    const controller = new AbortController();
    const job = new BashJob({ command: `touch ${file}` }, '/', false, { signal: controller.signal });
    controller.abort();
    expect((await job.result).status).toBe('aborted');
    await bash({ command: 'true' }, '/');
    expect(existsSync(file)).toBe(false);
  });

  it('that fires later ends the whole job', async () => {
    const seconds = tag();
    const controller = new AbortController();
    const command = `setsid sleep ${seconds} & sleep ${seconds}`;
    const job = new BashJob({ command }, '/', false, { signal: controller.signal });
    await until(() => living(`sleep\0${seconds}`).length === 2, 'it sleeps');
    controller.abort();
    expect((await job.result).status).toBe('aborted');
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('that fires during the spawn leaves nothing', async () => {
    const seconds = tag();
    const controller = new AbortController();
    const { signal } = controller;
    const jobs = Array.from(
      { length: 5 },
      () => new BashJob({ command: `exec sleep ${seconds}` }, '/', false, { signal }),
    );
    await Promise.resolve();
    controller.abort();
    for (const { status } of await Promise.all(jobs.map((job) => job.result))) expect(status).toBe('aborted');
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('that fires in an exit listener changes nothing', async () => {
    const controller = new AbortController();
    const job = new BashJob({ command: 'true' }, '/', false, { signal: controller.signal });
    const received = new EventLog(job);
    job.on('exit', () => controller.abort());
    expect((await job.result).status).toBe('exited');
    await bash({ command: 'true' }, '/');
    expect(received.exits).toHaveLength(1);
  });

  it('that fires between the exit and its event gives one exit event', async () => {
    const controller = new AbortController();
    const job = new BashJob({ command: 'exec sleep 0.1' }, '/', false, { signal: controller.signal });
    const received = new EventLog(job);
    const pid = await until(() => job.pid, 'there is a process');
    // JavaScript is busy until the process has been reaped, so its exit event is delayed.
    const deadline = Date.now() + 10_000;
    while (existsSync(`/proc/${pid}`) && Date.now() < deadline);
    controller.abort();
    const { exitCode } = await job.result;
    await bash({ command: 'true' }, '/');
    expect({ exits: received.exits.length, exitCode }).toEqual({ exits: 1, exitCode: 0 });
  });

  it('that has a reason is still only aborted', async () => {
    const signal = AbortSignal.abort(new Error('because'));
    expect((await new BashJob({ command: 'true' }, '/', false, { signal }).result).status).toBe('aborted');
  });

  it('by AbortSignal.timeout() ends the job', async () => {
    const signal = AbortSignal.timeout(200);
    expect((await new BashJob({ command: 'exec sleep 60' }, '/', false, { signal }).result).status).toBe(
      'aborted',
    );
  });
});

describe('the listener on an AbortSignal', () => {
  it('is there while the job runs and gone afterwards', async () => {
    const { signal } = new AbortController();
    const job = new BashJob({ command: 'true' }, '/', false, { signal });
    await Promise.resolve();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await job.result;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('is gone after an abort', async () => {
    const controller = new AbortController();
    const job = new BashJob({ command: 'exec sleep 60' }, '/', false, { signal: controller.signal });
    await Promise.resolve();
    controller.abort();
    await job.result;
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('is gone after a refusal', async () => {
    const { signal } = new AbortController();
    await new BashJob({ command: 'rm' }, '/', true, { signal }).result;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('is not there when nothing was started', async () => {
    const signal = AbortSignal.abort();
    await new BashJob({ command: 'true' }, '/', false, { signal }).result;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('gives no warning when many jobs have the same signal', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(warning.message);
    process.on('warning', listen);
    const { signal } = new AbortController();
    const jobs = Array.from({ length: 30 }, () => new BashJob({ command: 'true' }, '/', false, { signal }));
    await Promise.all(jobs.map((job) => job.result));
    await new Promise(setImmediate);
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });
});
