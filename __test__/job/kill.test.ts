import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BashJob, bash } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventLog } from '../support/event-log.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const root = temporaryDirectory();

async function runningJob(): Promise<BashJob> {
  const seconds = tag();
  const job = new BashJob({ command: `exec sleep ${seconds}` }, '/');
  await until(() => living(`sleep\0${seconds}`).length === 1, 'the job runs');
  return job;
}

describe('kill()', () => {
  it.each([
    [undefined, 'SIGTERM'],
    ['SIGTERM', 'SIGTERM'],
    ['SIGKILL', 'SIGKILL'],
    ['SIGINT', 'SIGINT'],
    [15, 'SIGTERM'],
    [9, 'SIGKILL'],
    [1, 'SIGHUP'],
  ] as const)('by %s ends the job by %s', async (signal, expected) => {
    const job = await runningJob();
    expect(job.kill(signal)).toBe(true);
    const { status, signal: actual, exitCode } = await job.result;
    expect({ status, signal: actual, exitCode }).toEqual({
      status: 'signaled',
      signal: expected,
      exitCode: null,
    });
  });

  it('by 0 only asks', async () => {
    const job = await runningJob();
    expect(job.kill(0)).toBe(true);
    expect(job.kill(0)).toBe(true);
    job.kill('SIGKILL');
    await job.result;
    expect(job.kill(0)).toBe(false);
  });

  it.each([
    'SIGNOPE',
    '',
    'TERM',
    999,
    -1,
    1.5,
    NaN,
    Infinity,
    2 ** 32,
    2 ** 32 + 9,
    -(2 ** 32) + 9,
    null,
    {},
    true,
  ])('throws for the unknown signal %s and leaves the job alone', async (signal) => {
    const job = await runningJob();
    let error: unknown;
    try {
      job.kill(signal as NodeJS.Signals);
    } catch (thrown) {
      error = thrown;
    }
    const wasThere = job.kill('SIGTERM');
    const { signal: end } = await job.result;
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ code: 'ERR_UNKNOWN_SIGNAL' });
    expect({ wasThere, end }).toEqual({ wasThere: true, end: 'SIGTERM' });
  });

  it.each([Symbol('signal'), Object.create(null)])(
    'throws the same for what can not be shown',
    async (signal) => {
      const job = new BashJob({ command: 'true' }, '/');
      await job.result;
      expect(() => job.kill(signal)).toThrow(expect.objectContaining({ code: 'ERR_UNKNOWN_SIGNAL' }));
    },
  );

  it('returns false after the end', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    await job.result;
    expect(job.kill()).toBe(false);
    expect(job.status).toBe('exited');
  });

  it('of one job leaves the others alone', async () => {
    const [first, second] = [await runningJob(), await runningJob()];
    first.kill('SIGKILL');
    await first.result;
    expect(second.kill(0)).toBe(true);
    second.kill('SIGKILL');
    await second.result;
  });

  it('more than once is one end', async () => {
    const job = await runningJob();
    const received = new EventLog(job);
    for (let count = 0; count < 10; count++) job.kill();
    await job.result;
    expect(received.exits).toHaveLength(1);
  });
});

describe('kill() before the start', () => {
  it('starts nothing', async () => {
    const file = join(root, 'killed-before-the-start');
    const job = new BashJob({ command: `touch ${file}` }, '/');
    expect(job.kill()).toBe(true);
    const { status, error, pid } = await job.result;
    expect({ status, code: error?.code, pid }).toEqual({ status: 'aborted', code: 'ABORT_ERR', pid: null });
    await bash({ command: 'true' }, '/');
    expect(existsSync(file)).toBe(false);
  });

  it('is reported to listeners that are added in the same turn', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    job.kill();
    const received = new EventLog(job);
    await job.result;
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(received.names).toEqual(['exit']);
  });

  it('returns false the second time', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    job.kill();
    await job.result;
    expect(job.kill()).toBe(false);
  });

  it('by 0 says that the job is there, and the job runs', async () => {
    const job = new BashJob({ command: 'echo hi' }, '/');
    expect(job.kill(0)).toBe(true);
    expect((await job.result).stdout).toBe('hi\n');
  });

  it('throws for an unknown signal', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    expect(() => job.kill('SIGNOPE' as NodeJS.Signals)).toThrow(TypeError);
    expect((await job.result).status).toBe('exited');
  });

  it('during the spawn leaves nothing', async () => {
    const seconds = tag();
    const jobs = Array.from({ length: 20 }, () => new BashJob({ command: `exec sleep ${seconds}` }, '/'));
    await Promise.resolve();
    for (const job of jobs) job.kill('SIGKILL');
    const results = await Promise.all(jobs.map((job) => job.result));
    for (const { status } of results) expect(['aborted', 'signaled']).toContain(status);
    await until(() => living(seconds).length === 0, 'none is left');
  });
});
