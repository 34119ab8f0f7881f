import { describe, expect, it } from 'vitest';
import { type Job, type JobOptions, Jobs, type RunResult } from '../../index.js';
import { endOf, printed } from './support.js';

/** Prints `asked` at each SIGTERM, and goes on. Not by `echo`: zsh runs a trap in the middle of one. */
const STUBBORN = "trap 'echo asked' TERM; /bin/echo up; while :; do sleep 0.03; done";

interface Causes {
  first: (job: Job, controller: AbortController) => void;
  next: (job: Job, controller: AbortController) => void;
  options: JobOptions;
}

/** Ends a job for one cause, and when it has noticed, for another. SIGKILL follows at last. */
async function endedTwice({ first, next, options }: Causes): Promise<RunResult> {
  await using table = new Jobs();
  const controller = new AbortController();
  const { signal } = controller;
  const job = table.start(STUBBORN, { signal, forceKillAfterDelay: 700, ...options });
  await printed(job, 'up');
  first(job, controller);
  await printed(job, 'asked');
  next(job, controller);
  // Before the table is disposed of, which would kill it once more.
  return await job.result;
}

const nothing = () => {};
const abort = (_: Job, controller: AbortController) => controller.abort();
const kill = (job: Job) => void job.kill();
const killAtOnce = (job: Job) => void job.kill('SIGKILL');

describe('the first cause counts:', () => {
  it.concurrent.each<[string, RunResult['status'], Causes]>([
    ['a timeout before an abort', 'timeout', { first: nothing, next: abort, options: { timeout: 500 } }],
    ['a timeout before a kill', 'timeout', { first: nothing, next: kill, options: { timeout: 500 } }],
    [
      'a timeout before a SIGKILL',
      'timeout',
      { first: nothing, next: killAtOnce, options: { timeout: 500 } },
    ],
    [
      'an idle timeout before an abort',
      'idleTimeout',
      { first: nothing, next: abort, options: { idleTimeout: 300 } },
    ],
    [
      'an idle timeout before a timeout',
      'idleTimeout',
      { first: nothing, next: nothing, options: { idleTimeout: 300, timeout: 900 } },
    ],
    ['an abort before a timeout', 'aborted', { first: abort, next: nothing, options: { timeout: 700 } }],
    [
      'an abort before an idle timeout',
      'aborted',
      { first: abort, next: nothing, options: { idleTimeout: 500 } },
    ],
    ['an abort before a kill', 'aborted', { first: abort, next: kill, options: {} }],
    ['an abort before a SIGKILL', 'aborted', { first: abort, next: killAtOnce, options: {} }],
    ['a kill before a timeout', 'signaled', { first: kill, next: nothing, options: { timeout: 700 } }],
    [
      'a kill before an idle timeout',
      'signaled',
      { first: kill, next: nothing, options: { idleTimeout: 500 } },
    ],
    ['a kill before an abort', 'signaled', { first: kill, next: abort, options: {} }],
  ])('%s', async (_, status, causes) => {
    expect(endOf(await endedTwice(causes))).toEqual({
      status,
      exitCode: null,
      signal: 'SIGKILL',
      error: null,
    });
  });

  it.concurrent('a second cause sends no second signal', async () => {
    const { stdout } = await endedTwice({ first: kill, next: abort, options: {} });
    expect(stdout).toBe('up\nasked\n');
  });

  it.concurrent('kill() after another cause does', async () => {
    const { stdout } = await endedTwice({ first: abort, next: kill, options: {} });
    expect(stdout).toBe('up\nasked\nasked\n');
  });

  it.concurrent('a second cause does not put SIGKILL off', async () => {
    const { durationMs } = await endedTwice({
      first: abort,
      next: (job) => {
        for (let count = 0; count < 50; count++) setTimeout(() => job.kill(), count * 100);
      },
      options: {},
    });
    expect(durationMs).toBeLessThan(4_000);
  });
});

describe('an end by itself', () => {
  it('is no timeout, abort or kill that comes later', async () => {
    await using table = new Jobs();
    const controller = new AbortController();
    const job = table.start('exit 3', { signal: controller.signal, timeout: 60_000 });
    const result = await job.result;
    controller.abort();
    expect(job.kill()).toBe(false);
    expect(endOf(result)).toEqual({ status: 'exited', exitCode: 3, signal: null, error: null });
    expect(job.status).toBe('exited');
  });

  it('by a signal from outside is signaled', async () => {
    await using table = new Jobs();
    const job = table.start('echo up; exec sleep 60', { timeout: 60_000 });
    await printed(job, 'up');
    process.kill(job.pid ?? 0, 'SIGKILL');
    expect(endOf(await job.result)).toEqual({
      status: 'signaled',
      exitCode: null,
      signal: 'SIGKILL',
      error: null,
    });
  });

  it('by an exit on kill() is exited', async () => {
    await using table = new Jobs();
    const job = table.start("trap 'exit 0' TERM; echo up; while :; do sleep 0.03; done");
    await printed(job, 'up');
    job.kill();
    expect(endOf(await job.result)).toEqual({ status: 'exited', exitCode: 0, signal: null, error: null });
  });
});
