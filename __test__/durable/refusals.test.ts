import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Jobs, jobs as ordinary, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { durableDirectory, durableJobs } from './support.js';

const code = (name: string) => expect.objectContaining({ code: name });

describe('a table with durable', () => {
  it.each([
    [{ durable: 1 }, "'options.durable': expected an object, got 1"],
    [{ durable: { deadline: 31 * 86_400_000 } }, "'options.durable.deadline': expected milliseconds from 1"],
    [{ durable: { deadline: 0 } }, "'options.durable.deadline'"],
    [{ durable: { keep: -1 } }, "'options.durable.keep'"],
    [{ durable: { maxLogBytes: 1024 } }, "'options.durable.maxLogBytes': expected an integer of at least"],
    [{ durable: { survive: 'reboot' } }, "'options.durable.survive'"],
    [{ durable: { onwer: 'me' } }, "unknown; did you mean 'owner'?"],
    [{ durable: true, onHostExit: 'leave' }, "'options.onHostExit': expected none next to durable"],
  ])('refuses %j', (options, message) => {
    expect(() => new Jobs(options as object)).toThrow(message);
  });

  it.each(['keep', 'kill'] as const)("refuses background: '%s'", (background) => {
    const jobs = durableJobs(durableDirectory());
    expect(() => jobs.start('true', { background })).toThrow("'options.background': expected none");
  });

  it('refuses an encoding in which the offsets of the log would be wrong', () => {
    const jobs = durableJobs(durableDirectory());
    const expected = "'options.encoding': expected 'utf8' or 'buffer' for a durable job, got 'cp850'";
    expect(() => jobs.start('true', { encoding: 'cp850' })).toThrow(expected);
  });

  it('refuses a command of run() with other processes than its own', async () => {
    const jobs = durableJobs(durableDirectory());
    const refused = run('true', { jobs, onTimeout: 'background', background: 'keep' });
    await expect(refused).rejects.toThrow("'options.background': expected none");
  });

  it('refuses another command under the name of a running job', async () => {
    const jobs = durableJobs(durableDirectory());
    await jobs.ensure('dev', 'sleep 100');
    await expect(jobs.ensure('dev', 'sleep 101')).rejects.toThrow(code('DURABLE_NAME'));
  });

  it('refuses a blank name, a wrong filter and a wrong id', async () => {
    const jobs = durableJobs(durableDirectory());
    await expect(jobs.ensure(' ', 'true')).rejects.toThrow("'name': expected a name");
    await expect(jobs.find({ nmae: 'dev' } as object)).rejects.toThrow("did you mean 'name'?");
    await expect(jobs.attach('../etc')).rejects.toThrow(code('DURABLE_NOT_FOUND'));
    await expect(jobs.attach('dev', { since: -1 })).rejects.toThrow("'options.since'");
  });

  it.each([0, -1, Number.NaN, 31 * 86_400_000, undefined])('refuses to extend a job by %s', async (ms) => {
    const job = await durableJobs(durableDirectory()).ensure('dev', 'sleep 100');
    await expect(job.extend(ms as number)).rejects.toThrow(code('ERR_INVALID_ARG_VALUE'));
  });

  it('rejects an ensure() whose options are wrong, also if the job runs', async () => {
    const jobs = durableJobs(durableDirectory());
    await jobs.ensure('dev', 'sleep 100');
    await expect(jobs.ensure('dev', 'sleep 100', { timeuot: 1 } as object)).rejects.toThrow('timeout');
  });

  it('reports a directory that others can read', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    const jobs = new Jobs({ durable: { directory } });
    expect((await jobs.start('true').result).error?.code).toBe('DURABLE_DIRECTORY');
    await expect(jobs.ensure('dev', 'true')).rejects.toThrow(code('DURABLE_DIRECTORY'));
  });

  it('reports a command that can not start as any other job does', async () => {
    const jobs = durableJobs(durableDirectory());
    const job = await jobs.ensure('dev', ['/nonexistent/program']);
    expect(await job.result).toMatchObject({ status: 'failed', error: { code: 'ENOENT' } });
    expect(await jobs.find()).toEqual([]);
  });
});

describe('a table without durable', () => {
  it('has no durable jobs', async () => {
    const job = ordinary.start('true');
    expect(job.durable).toBeNull();
    expect(() => job.detach()).toThrow(code('NOT_DURABLE'));
    await expect(job.extend(1_000)).rejects.toThrow(code('NOT_DURABLE'));
    for (const act of [() => ordinary.find(), () => ordinary.release(), () => ordinary.attach('d1234567')]) {
      await expect(act()).rejects.toThrow(code('NOT_DURABLE'));
    }
    expect(await job.result).not.toHaveProperty('durable');
  });
});
