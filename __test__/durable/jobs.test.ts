import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { durableDirectory, durableJobs } from './support.js';

describe('a table with durable', () => {
  it('has jobs with random ids and what is known of them', async () => {
    const jobs = durableJobs(durableDirectory(), { owner: 'me', root: '/tmp' });
    const job = jobs.start('sleep 100', { cwd: '/' });
    expect(job.id).toMatch(/^d[a-z0-9]{7}$/);
    await new Promise<void>((resolve) => job.once('spawn', resolve));
    expect(job.durable).toMatchObject({
      id: job.id,
      command: 'sleep 100',
      cwd: '/',
      name: null,
      owner: 'me',
      root: '/tmp',
      pid: job.pid,
      attached: 1,
      pty: null,
      input: false,
      elsewhere: false,
      end: null,
    });
    expect(jobs.get(job.id)).toBe(job);
  });

  it('finds the jobs of its owner and root, and all if asked', async () => {
    const directory = durableDirectory();
    const own = durableJobs(directory, { owner: 'a', root: '/tmp' });
    const other = durableJobs(directory, { owner: 'b', root: '/tmp' });
    const elsewhere = durableJobs(directory, { owner: 'a', root: '/' });
    const [first] = await Promise.all([own, other, elsewhere].map((jobs) => jobs.ensure('x', 'sleep 100')));
    expect((await own.find()).map(({ id }) => id)).toEqual([first?.id]);
    expect(await own.find({ all: true })).toHaveLength(3);
    expect(await own.find({ name: 'y' })).toEqual([]);
    expect(await own.find({ running: false })).toEqual([]);
  });

  it('attaches two tables to one job, which both read, and both get its end', async () => {
    const directory = durableDirectory();
    const one = durableJobs(directory);
    const two = durableJobs(directory);
    const job = one.start('read -r a; echo "$a"; read -r b; echo "$b"; exit 3', { stdin: 'pipe' });
    await new Promise<void>((resolve) => job.once('spawn', resolve));
    const twin = await two.attach(job.id, { since: 0 });
    const seen: string[] = [];
    twin.on('data', (text) => seen.push(text));
    job.write('from one\n');
    await until(() => seen.join('') === 'from one\n', 'the first line');
    twin.write('from two\n');
    const [own, its] = await Promise.all([job.result, twin.result]);
    expect([own, its].map(({ exitCode, stdout }) => ({ exitCode, stdout }))).toEqual(
      Array(2).fill({ exitCode: 3, stdout: 'from one\nfrom two\n' }),
    );
    expect(twin.durable?.end).toEqual(job.durable?.end);
  });

  it('returns its own job for an attachment to a job that it has', async () => {
    const jobs = durableJobs(durableDirectory());
    const job = await jobs.ensure('dev', 'sleep 100');
    expect(await jobs.attach(job.id)).toBe(job);
    expect(await jobs.ensure('dev', 'sleep 100')).toBe(job);
  });

  it('has the output of an attachment from since on, and by default from now on', async () => {
    const directory = durableDirectory();
    const jobs = durableJobs(directory);
    const job = jobs.start('printf 0123456789; read -r _; echo after', { stdin: 'pipe' });
    await job.ready({ pattern: '9' });
    const part = await durableJobs(directory).attach(job.id, { since: 4 });
    await part.ready({ pattern: '9' });
    expect(part.read(0)).toMatchObject({ text: '456789', cursor: 10, dropped: 4 });
    const now = await durableJobs(directory).attach(job.id);
    now.write('\n');
    expect((await now.result).stdout).toBe('after\n');
  });

  it('detaches from a job, which runs on, and attaches again', async () => {
    const jobs = durableJobs(durableDirectory());
    const job = await jobs.ensure('dev', 'sleep 100');
    job.detach();
    expect(await job.result).toMatchObject({ status: 'background', jobId: job.id, durable: { end: null } });
    const again = await jobs.attach(job.id);
    expect(again).not.toBe(job);
    expect(again.status).toBe('running');
  });

  it('keeps what was written before it detaches, and leaves the input open', async () => {
    const directory = durableDirectory();
    const job = durableJobs(directory).start('cat', { stdin: 'pipe' });
    await new Promise<void>((resolve) => job.once('spawn', resolve));
    const expected = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
    for (const line of expected) {
      const writer = await durableJobs(directory).attach(job.id);
      await new Promise((resolve) => writer.stdin?.write(line, resolve));
      writer.detach();
      await writer.result;
    }
    job.end();
    expect((await job.result).stdout.split('\n').sort()).toEqual(expected.join('').split('\n').sort());
  });

  it('releases its jobs, and kills them by dispose()', async () => {
    const directory = durableDirectory();
    const first = new Jobs({ durable: { directory } });
    await first.ensure('dev', 'sleep 100');
    await first.release();
    expect(() => first.start('true')).toThrow(expect.objectContaining({ code: 'JOBS_DISPOSED' }));
    const second = new Jobs({ durable: { directory } });
    const [found] = await second.find({ running: true });
    await second.attach(found?.id as string);
    await second.dispose();
    expect(await durableJobs(directory).find()).toMatchObject([{ id: found?.id, end: { cause: 'kill' } }]);
  });

  it('releases a job that it has just started, which runs', async () => {
    const directory = durableDirectory();
    const jobs = new Jobs({ durable: { directory } });
    const { id } = jobs.start('sleep 100');
    await jobs.release();
    expect(await durableJobs(directory).find({ running: true })).toMatchObject([{ id }]);
  });

  it('ends a job without attaching to it', async () => {
    const directory = durableDirectory();
    const job = await durableJobs(directory).ensure('dev', 'sleep 100');
    await durableJobs(directory).stop(job.id, 'SIGINT');
    expect(await job.result).toMatchObject({ status: 'signaled', signal: 'SIGINT' });
  });

  it('moves the end of the longest run', async () => {
    const jobs = durableJobs(durableDirectory(), { deadline: 3_600_000 });
    const job = await jobs.ensure('dev', 'sleep 100');
    const endsAt = await job.extend(7_200_000);
    expect(endsAt - Date.now()).toBeGreaterThan(7_000_000);
    expect((await jobs.find())[0]?.endsAt).toBe(endsAt);
  });

  it('ends a job at its deadline', async () => {
    const jobs = durableJobs(durableDirectory(), { deadline: 200 });
    const { status, durable } = await jobs.start('sleep 100').result;
    expect({ status, cause: durable?.end?.cause }).toEqual({ status: 'timeout', cause: 'deadline' });
  });

  it('keeps a timeout of the start', async () => {
    const jobs = durableJobs(durableDirectory());
    const { status, durable } = await jobs.start('sleep 100', { timeout: 100 }).result;
    expect({ status, cause: durable?.end?.cause }).toEqual({ status: 'timeout', cause: 'timeout' });
  });

  it('counts processes that outlive the command as the job', async () => {
    const jobs = durableJobs(durableDirectory());
    const job = jobs.start('(sleep 0.3; echo late) & echo early; exit 5');
    const { stdout, exitCode } = await job.result;
    expect({ stdout, exitCode }).toEqual({ stdout: 'early\nlate\n', exitCode: 5 });
  });

  it('has the screen of a terminal in each table', async () => {
    const directory = durableDirectory();
    const job = durableJobs(directory).start('printf "name? "; read -r name; echo "hi $name"; sleep 100', {
      pty: { cols: 40, rows: 5 },
    });
    await job.waitForScreen('name?');
    const twin = await durableJobs(directory).attach(job.id);
    await twin.waitForScreen('name?');
    twin.write('Ada\r');
    await job.waitForScreen('hi Ada');
    const { screen } = await twin.waitForScreen('hi Ada');
    expect(screen.text).toBe(job.screen().text);
    expect({ cols: screen.cols, rows: screen.rows }).toEqual({ cols: 40, rows: 5 });
  });

  it('takes a command of run() that goes on as a job', async () => {
    const jobs = durableJobs(durableDirectory());
    const seconds = tag();
    const result = await run(`sleep ${seconds}`, { jobs, onTimeout: 'background', timeout: 1 });
    expect(result).toMatchObject({ status: 'background', jobId: expect.stringMatching(/^d/) });
    expect(await jobs.find({ running: true })).toMatchObject([{ id: result.jobId }]);
  });

  it('removes what has ended too long ago', async () => {
    const directory = durableDirectory();
    const jobs = durableJobs(directory, { keep: 0 });
    const { id, result } = jobs.start('true');
    await result;
    await until(async () => {
      await jobs.sweep();
      return !existsSync(`${directory}/${id}`);
    }, 'the job is removed');
    expect(await jobs.find()).toEqual([]);
  });
});
