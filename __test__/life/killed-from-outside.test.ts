import { describe, expect, it } from 'vitest';
import { bash, type Job, Jobs, run } from '../../index.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const table = new Jobs({ maxRunning: 50 });

async function pidOf(job: Job): Promise<number> {
  return await until(() => job.pid, 'it has a process');
}

/** Starts a job that has printed `ready` and sleeps. */
async function sleeping(options = {}): Promise<{ job: Job; pid: number; seconds: string }> {
  const seconds = tag();
  const job = table.start(`echo ready; exec sleep ${seconds}`, options);
  await until(() => living(`sleep\0${seconds}`).length === 1, 'it sleeps');
  return { job, pid: await pidOf(job), seconds };
}

describe('a command that is killed from outside', () => {
  it.each(['SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGHUP', 'SIGABRT', 'SIGUSR1', 'SIGPIPE'] as const)(
    'by %s has died by that signal, and its output is kept',
    async (name) => {
      const { job, pid } = await sleeping();
      process.kill(pid, name);
      const { status, exitCode, signal, stdout, error } = await job.result;
      expect({ status, exitCode, signal, stdout, error }).toEqual({
        status: 'signaled',
        exitCode: null,
        signal: name,
        stdout: 'ready\n',
        error: null,
      });
    },
  );

  it('by its own hand is the same', async () => {
    const { status, signal, exitCode } = await run('kill -SEGV $$');
    expect({ status, signal, exitCode }).toEqual({ status: 'signaled', signal: 'SIGSEGV', exitCode: null });
  });

  it('has 128 plus the number in the answer of bash()', async () => {
    expect(await bash({ command: 'echo hi; kill -SEGV $$' }, '/')).toBe('hi\n\n[Exit code: 139]');
  });

  it('is not mistaken for its timeout', async () => {
    const { job, pid } = await sleeping({ timeout: 30_000, idleTimeout: 30_000 });
    process.kill(pid, 'SIGKILL');
    expect((await job.result).status).toBe('signaled');
  });

  it('in one of its children goes on', async () => {
    const seconds = tag();
    const job = table.start(`sleep ${seconds}; echo "child: $?"; exit 6`);
    const [child] = await until(() => {
      const pids = living(`sleep\0${seconds}`);
      return pids.length === 1 ? pids : null;
    }, 'the child sleeps');
    process.kill(child as number, 'SIGKILL');
    const { status, exitCode, stdout } = await job.result;
    expect({ status, exitCode, stdout }).toEqual({ status: 'exited', exitCode: 6, stdout: 'child: 137\n' });
  });

  it('as a shell leaves its children to be reported', async () => {
    const seconds = tag();
    const job = table.start(`sleep ${seconds} >/dev/null 2>&1 & wait`);
    const [child] = await until(() => {
      const pids = living(`sleep\0${seconds}`);
      return pids.length === 1 && job.pid !== null ? pids : null;
    }, 'the child sleeps');
    process.kill(job.pid as number, 'SIGKILL');
    const { status, signal, backgroundPids } = await job.result;
    expect({ status, signal, backgroundPids }).toEqual({
      status: 'signaled',
      signal: 'SIGKILL',
      backgroundPids: [child],
    });
  });

  it('with its whole group at once leaves nothing', async () => {
    const seconds = tag();
    const job = table.start(`sleep ${seconds} & sleep ${seconds} & wait`);
    await until(() => living(`sleep\0${seconds}`).length === 2, 'they sleep');
    process.kill(-(await pidOf(job)), 'SIGKILL');
    const { status, signal, backgroundPids } = await job.result;
    expect({ status, signal, backgroundPids }).toEqual({
      status: 'signaled',
      signal: 'SIGKILL',
      backgroundPids: [],
    });
  });
});

describe('a command that is stopped from outside', () => {
  it('goes on when it is continued', async () => {
    const job = table.start('echo 1; read line; echo 2', { stdin: 'pipe' });
    await until(() => job.read().text === '1\n', 'it runs');
    const pid = await pidOf(job);
    process.kill(pid, 'SIGSTOP');
    job.end('go\n');
    expect(job.status).toBe('running');
    process.kill(pid, 'SIGCONT');
    const { status, exitCode, stdout } = await job.result;
    expect({ status, exitCode, stdout }).toEqual({ status: 'exited', exitCode: 0, stdout: '1\n2\n' });
  });

  it('is not over while it is stopped', async () => {
    const { job, pid, seconds } = await sleeping();
    process.kill(pid, 'SIGSTOP');
    const { status, pending } = await table.wait(job.id, { timeout: 200 });
    expect({ status, pending }).toEqual({ status: 'timeout', pending: [job.id] });
    job.kill('SIGKILL');
    await job.result;
    expect(living(seconds)).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGKILL', 'SIGINT'] as const)('is killed by %s', async (killSignal) => {
    const { job, pid, seconds } = await sleeping({ killSignal });
    process.kill(pid, 'SIGSTOP');
    job.kill();
    const { status, signal } = await job.result;
    expect({ status, signal, left: living(seconds) }).toEqual({
      status: 'signaled',
      signal: killSignal,
      left: [],
    });
  });

  it.each(['timeout', 'idleTimeout'] as const)('is ended by its %s', async (name) => {
    // Long enough that a busy machine stops the command before.
    const { job, pid, seconds } = await sleeping({ [name]: 4_000 });
    process.kill(pid, 'SIGSTOP');
    const { status, signal } = await job.result;
    expect({ status, signal, left: living(seconds) }).toEqual({ status: name, signal: 'SIGTERM', left: [] });
  });

  it('is ended with its stopped children', async () => {
    const seconds = tag();
    const job = table.start(`sleep ${seconds} & setsid sleep ${seconds} & wait`);
    await until(() => living(`sleep\0${seconds}`).length === 2, 'both sleep');
    for (const pid of [...living(`sleep\0${seconds}`), await pidOf(job)]) process.kill(pid, 'SIGSTOP');
    job.kill();
    const { signal, durationMs } = await job.result;
    expect({ signal, left: living(seconds) }).toEqual({ signal: 'SIGTERM', left: [] });
    // The result comes before the SIGKILL would.
    expect(durationMs).toBeLessThan(4_500);
  });
});
