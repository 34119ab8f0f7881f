import { Jobs, prewarm, type RunOptions, run } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../life/support.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { marked, runOnceWarm, runWarm, waiting, warmUp } from './support.js';

const cwd = temporaryDirectory();
const fresh = () => marked({ cwd, shell: '/bin/bash' });

describe('a warm shell', () => {
  it('is used once, and another one takes its place', async () => {
    const options = fresh();
    const { result } = await runOnceWarm('echo $$', options);
    expect(result.stdout).toBe(`${result.pid}\n`);
    const second = await until(() => waiting(options)[0], 'another one waits');
    expect(second).not.toBe(result.pid);
    expect(waiting(options)).toHaveLength(1);
  });

  it('is started by the first command that could have had one', async () => {
    const options = fresh();
    expect((await runWarm('echo hi', options)).result.stdout).toBe('hi\n');
    await until(() => waiting(options).length === 1, 'one waits');
  });

  it('is not started without the option', async () => {
    const options = fresh();
    await run('true', options);
    await run('true', { ...options, warm: false });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(waiting(options)).toEqual([]);
  });

  it('is one of as many as the caller requested', async () => {
    const options = fresh();
    expect(await warmUp(options, 3)).toHaveLength(3);
    expect(await warmUp(options, 3)).toHaveLength(3);
    expect(await warmUp(options, 2)).toHaveLength(3);
  });

  it('makes room for others: 16 wait at most', async () => {
    const options = fresh();
    prewarm({ ...options, count: 16 });
    await until(() => waiting(options).length === 16, 'they wait');
    const other = fresh();
    prewarm({ ...other, count: 4 });
    await until(() => waiting(options).length === 12, 'the oldest have ended');
    expect(waiting(other)).toHaveLength(4);
    // A replacement that was still to come may have taken the place of one more.
  });

  it('serves jobs, too', async () => {
    const options = fresh();
    const [pid] = await warmUp(options);
    const table = new Jobs();
    const job = table.start('echo hi; exit 3', { ...options, warm: true });
    expect(await job.result).toMatchObject({ pid, stdout: 'hi\n', exitCode: 3 });
    await table.dispose();
  });

  it('is not for a job that outlives Node', async () => {
    const options = fresh();
    const [pid] = await warmUp(options);
    const table = new Jobs({ onHostExit: 'leave' });
    const result = await table.start('echo hi', { ...options, warm: true }).result;
    expect(result.stdout).toBe('hi\n');
    expect(result.pid).not.toBe(pid);
    await table.dispose();
  });

  it('that was killed from outside does no harm', async () => {
    const options = fresh();
    const pids = await warmUp(options, 3);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    // By their numbers: one that is about to end has lost its marks before.
    await until(() => !pids.some(isAlive), 'they have ended');
    const { result } = await runWarm('echo hi', options);
    expect(result).toMatchObject({ stdout: 'hi\n', status: 'exited', exitCode: 0 });
  });

  it('serves 100 commands at once, or another one does', async () => {
    const options = fresh();
    await warmUp(options, 8);
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) => run(`echo ${index}`, { ...options, warm: true })),
    );
    expect(results.map(({ stdout }) => stdout)).toEqual(results.map((_, index) => `${index}\n`));
    expect(new Set(results.map(({ pid }) => pid)).size).toBe(100);
  });
});

/** The ways in which commands end, and the results. */
const ENDS: Array<[string, Omit<RunOptions, 'env'>, object]> = [
  ['its timeout', { timeout: 300 }, { status: 'timeout', signal: 'SIGTERM' }],
  ['its silence', { idleTimeout: 300 }, { status: 'idleTimeout', signal: 'SIGTERM' }],
  ['another signal', { timeout: 300, killSignal: 'SIGHUP' }, { status: 'timeout', signal: 'SIGHUP' }],
];

describe.concurrent('the command of a warm shell', () => {
  it.each(ENDS)('is ended by %s, with all that it has started', async (_, more, end) => {
    const options = fresh();
    await warmUp(options);
    const command = 'echo $$; sleep 61 & echo $!; setsid sleep 62 & echo $!; sleep 63';
    const { result, wasWarm } = await runWarm(command, { ...options, ...more });
    expect(wasWarm).toBe(true);
    expect(result).toMatchObject({ ...end, exitCode: null, backgroundPids: [] });
    const pids = result.stdout.trim().split('\n').map(Number);
    expect(pids).toHaveLength(3);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('is ended by a signal', async () => {
    const options = fresh();
    await warmUp(options);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    const { result, wasWarm } = await runWarm('echo on; sleep 61', { ...options, signal: controller.signal });
    expect(wasWarm).toBe(true);
    expect(result).toMatchObject({ status: 'aborted', stdout: 'on\n', signal: 'SIGTERM' });
  });

  it('goes on in the background', async () => {
    const options = fresh();
    await warmUp(options);
    const jobs = new Jobs();
    const more: Omit<RunOptions, 'env'> = { onTimeout: 'background', timeout: 150, jobs };
    const { result, wasWarm } = await runWarm('echo on; sleep 0.5; echo off', { ...options, ...more });
    expect(wasWarm).toBe(true);
    expect(result).toMatchObject({ status: 'background', stdout: 'on\n' });
    const { finished } = await jobs.wait(result.jobId as string);
    expect(finished[0]).toMatchObject({ status: 'exited', stdout: 'on\noff\n' });
    await jobs.dispose();
  });

  it('leaves what it leaves to the table', async () => {
    const options = fresh();
    await warmUp(options);
    const jobs = new Jobs();
    const { result, wasWarm } = await runWarm('sleep 61 & echo on', {
      ...options,
      background: 'adopt',
      jobs,
    });
    expect(wasWarm).toBe(true);
    expect(result).toMatchObject({ status: 'exited', stdout: 'on\n', backgroundPids: [expect.any(Number)] });
    await jobs.dispose();
    expect(result.backgroundPids.filter(isAlive)).toEqual([]);
  });

  it('has all kinds of output', async () => {
    const options = marked({ cwd, shell: '/bin/bash', merge: true });
    await warmUp(options);
    const { merge, ...call } = options;
    const output = { merge, stripAnsi: true, maxBytes: 4, marker: '…', spill: { directory: cwd } };
    const { result, wasWarm } = await runWarm('printf "\\033[1mone\\033[m"; seq 1000 >&2', {
      ...call,
      output,
    });
    expect(wasWarm).toBe(true);
    expect(result).toMatchObject({ stderr: '', truncated: true, spill: { complete: true } });
    expect(result.stdout).toBe('on…0\n');
  });
});
