import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Job, Jobs } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { nothingFor } from '../support/waits.mjs';

const directory = temporaryDirectory();

describe('a job that is over', () => {
  it('is kept by default', async () => {
    await using table = new Jobs();
    const job = table.start('echo hi');
    await job.result;
    await nothingFor(200);
    expect({ job: table.get(job.id), list: table.list(), text: job.read().text }).toEqual({
      job,
      list: [job],
      text: 'hi\n',
    });
  });

  it('is forgotten after the retention', async () => {
    await using table = new Jobs({ retention: 300 });
    const job = table.start('echo hi');
    const { stdout } = await job.result;
    const before = performance.now();
    expect(table.get(job.id)).toBe(job);
    await until(() => table.get(job.id) === undefined, 'it is forgotten');
    expect(performance.now() - before).toBeGreaterThanOrEqual(290);
    expect({ list: table.list(), stdout, kill: table.kill(job.id), status: job.status }).toEqual({
      list: [],
      stdout: 'hi\n',
      kill: false,
      status: 'exited',
    });
    expect((await job.result).stdout).toBe('hi\n');
    expect(() => job.read()).toThrow(expect.objectContaining({ code: 'JOB_NOT_FOUND' }));
    await expect(table.wait(job.id)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
  });

  it('is forgotten at once with a retention of 0', async () => {
    await using table = new Jobs({ retention: 0 });
    const job = table.start('true');
    await job.result;
    await until(() => table.list().length === 0, 'it is forgotten');
  });

  it('takes its spill file with it', async () => {
    await using table = new Jobs({ retention: 200 });
    const { spillPath } = await table.start('echo hi', { output: { spill: { directory } } }).result;
    expect(existsSync(spillPath ?? '')).toBe(true);
    await until(() => !existsSync(spillPath ?? ''), 'the file is removed');
    expect(table.list()).toEqual([]);
  });
});

describe('a job that runs', () => {
  it('is not forgotten', async () => {
    await using table = new Jobs({ retention: 0, maxFinished: 0 });
    const job = table.start('exec sleep 60');
    await table.start('true').result;
    await until(() => table.list().length === 1, 'the other is forgotten');
    expect(table.list()).toEqual([job]);
  });
});

describe('maxFinishedBytes', () => {
  /** About 300,000 bytes: its standard output, its output, and as much for `read()`. */
  const LONG = 'head -c 100000 /dev/zero | tr "\\0" x';

  it('forgets the one that ended first', async () => {
    await using table = new Jobs({ maxFinishedBytes: 850_000 });
    const running = table.start('exec sleep 60');
    const others: Job[] = [];
    for (let count = 0; count < 4; count++) {
      const job = table.start(LONG);
      others.push(job);
      expect((await job.result).stdout).toHaveLength(100_000);
    }
    expect(table.list()).toEqual([running, others[2], others[3]]);
    expect(() => table.read(others[1]?.id ?? '')).toThrow(expect.objectContaining({ code: 'JOB_NOT_FOUND' }));
  });

  it('counts text that is no ASCII as the two bytes that a character of it takes', async () => {
    await using table = new Jobs({ maxFinishedBytes: 700_000, readBytes: 0 });
    const jobs = [];
    for (let count = 0; count < 3; count++) {
      const job = table.start('printf é; head -c 100000 /dev/zero | tr "\\0" x');
      jobs.push(job);
      await job.result;
    }
    expect(table.list()).toEqual([jobs[2]]);
  });

  it('keeps the one that ended last, however large it is', async () => {
    await using table = new Jobs({ maxFinishedBytes: 0 });
    await table.start('true').result;
    const job = table.start(LONG);
    await job.result;
    expect(table.list()).toEqual([job]);
    expect(job.read().text).toHaveLength(100_000);
  });

  it('is 64 MiB by default', async () => {
    await using table = new Jobs();
    // Over 10 MiB of each: its standard output, and its output.
    const output = { maxBytes: 10 * 1024 * 1024 };
    for (let count = 0; count < 5; count++) {
      await table.start('head -c 10485760 /dev/zero | tr "\\0" x', { output }).result;
    }
    expect(table.list().length).toBeGreaterThanOrEqual(2);
    expect(table.list().length).toBeLessThanOrEqual(3);
  });
});

describe('maxFinished', () => {
  it('forgets the one that ended first', async () => {
    await using table = new Jobs({ maxFinished: 2 });
    const slow = table.start('read line', { stdin: 'pipe' });
    const others = [];
    for (let count = 0; count < 3; count++) {
      const job = table.start('true');
      others.push(job);
      await job.result;
    }
    expect(table.list()).toEqual([slow, others[1], others[2]]);
    slow.write('\n');
    await slow.result;
    // This job was the first to start, and the last to end.
    expect(table.list()).toEqual([slow, others[2]]);
  });

  it('is 100 by default', async () => {
    await using table = new Jobs({ maxRunning: 200 });
    for (let count = 0; count < 105; count++) table.start('true');
    await table.wait();
    expect(table.list()).toHaveLength(100);
  });

  it('of 0 keeps none, and the result is there anyway', async () => {
    await using table = new Jobs({ maxFinished: 0 });
    const job = table.start('echo hi; exit 3');
    const exit = new Promise((resolve) => {
      job.on('exit', (code, _, { stdout }) => resolve([code, stdout]));
    });
    expect({ exit: await exit, list: table.list(), code: (await job.result).exitCode }).toEqual({
      exit: [3, 'hi\n'],
      list: [],
      code: 3,
    });
  });

  it('removes the spill files of those that it forgets', async () => {
    await using table = new Jobs({ maxFinished: 1 });
    const output = { spill: { directory } };
    const first = await table.start('echo 1', { output }).result;
    expect(existsSync(first.spillPath ?? '')).toBe(true);
    const second = await table.start('echo 2', { output }).result;
    await until(() => !existsSync(first.spillPath ?? ''), 'the first is removed');
    expect(existsSync(second.spillPath ?? '')).toBe(true);
  });
});
