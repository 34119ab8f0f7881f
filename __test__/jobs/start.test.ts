import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BashJob, Job, type JobOptions, Jobs, jobs, run } from '../../index.js';
import { endOf } from '../life/support.js';
import { temporaryDirectory } from '../support/directory.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const directory = temporaryDirectory();

describe('Jobs.start()', () => {
  it('starts a command as a job', async () => {
    await using table = new Jobs();
    const job = table.start('echo out; echo err >&2; exit 3');
    expect(job).toBeInstanceOf(Job);
    expect({
      status: job.status,
      isBackground: job.isBackground,
      stdin: job.stdin,
      command: job.command,
    }).toEqual({
      status: 'running',
      isBackground: false,
      stdin: null,
      command: 'echo out; echo err >&2; exit 3',
    });
    const result = await job.result;
    expect(endOf(result)).toEqual({ status: 'exited', exitCode: 3, signal: null, error: null });
    expect(result).toMatchObject({
      command: job.command,
      cwd: process.cwd(),
      stdout: 'out\n',
      stderr: 'err\n',
      jobId: job.id,
      pid: job.pid,
      processGroup: job.pid,
    });
    expect(job.status).toBe('exited');
  });

  it('takes an array of words', async () => {
    await using table = new Jobs();
    const job = table.start(['printf', '%s|', 'a b', '', "c'd", '$HOME']);
    expect((await job.result).stdout).toBe("a b||c'd|$HOME|");
  });

  it('takes an input', async () => {
    await using table = new Jobs();
    expect((await table.start('cat', { input: 'héllo' }).result).stdout).toBe('héllo');
  });

  it('gives each job of all tables an id of its own', async () => {
    await using first = new Jobs();
    await using second = new Jobs();
    const ids = [first, second, first].map((table) => table.start('true').id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^job-\d+$/);
  });

  it('reports a command that could not be started as a result', async () => {
    await using table = new Jobs();
    const job = table.start('true', { cwd: '/nowhere' });
    const result = await job.result;
    expect(endOf(result)).toEqual({ status: 'failed', exitCode: null, signal: null, error: 'CWD_MISSING' });
    expect({ pid: job.pid, jobId: result.jobId, list: table.list() }).toEqual({
      pid: null,
      jobId: job.id,
      list: [job],
    });
  });

  it.each<[string, unknown]>([
    ['options.onTimeout', { onTimeout: 'background' }],
    ['options.backgroundTimeout', { backgroundTimeout: 1 }],
    ['options.reject', { reject: true }],
    ['options.jobs', { jobs }],
    ['options.background', { background: 'adopt' }],
    ['options.stdin', { stdin: 'inherit' }],
    ['options.stdin', { stdin: 'pipe', input: 'x' }],
    ['options.timeout', { timeout: -1 }],
    ['options.timeout', { timeout: '5' }],
    ['options.idleTimeout', { idleTimeout: Number.POSITIVE_INFINITY }],
    ['options.forceKillAfterDelay', { forceKillAfterDelay: true }],
    ['options.drain', { drain: 'never' }],
    ['options.drain.idle', { drain: { idle: -1 } }],
    ['options.signal', { signal: {} }],
    ['options.timeOut', { timeOut: 1 }],
  ])('throws a TypeError that names a wrong %s', async (name, options) => {
    await using table = new Jobs();
    expect(() => table.start('true', options as JobOptions)).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_VALUE',
        message: expect.stringContaining(`'${name}'`),
      }),
    );
    expect(table.list()).toEqual([]);
  });

  it.each([[''], [' \n'], [[]], [['']], [null], [undefined], [5]])(
    'throws for the command %j',
    async (command) => {
      await using table = new Jobs();
      expect(() => table.start(command as string)).toThrow(
        expect.objectContaining({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' }),
      );
    },
  );
});

describe('Jobs.get() and Jobs.list()', () => {
  it('return jobs in the order of their start, running or finished', async () => {
    await using table = new Jobs();
    const slow = table.start('exec sleep 60');
    const quick = table.start('true');
    const last = table.start('exec sleep 60');
    await quick.result;
    expect(table.list()).toEqual([slow, quick, last]);
    for (const job of [slow, quick, last]) expect(table.get(job.id)).toBe(job);
  });

  it('have a job that run() leaves where its start was', async () => {
    await using table = new Jobs();
    const promise = run('exec sleep 60', { onTimeout: 'background', timeout: 200, jobs: table });
    const later = table.start('exec sleep 60');
    const { jobId } = await promise;
    expect(table.list().map(({ id }) => id)).toEqual([jobId, later.id]);
  });

  it.each(['', 'job-0', 'job-999999', '1', 'constructor', '__proto__'])(
    'return no job for the id %j',
    async (id) => {
      await using table = new Jobs();
      await table.start('true').result;
      expect(table.get(id)).toBeUndefined();
    },
  );

  it('give a copy that changes nothing', async () => {
    await using table = new Jobs();
    table.start('true');
    table.list().length = 0;
    expect(table.list()).toHaveLength(1);
  });

  it('return no BashJob and no command of run()', async () => {
    await using table = new Jobs();
    const job = new BashJob({ command: 'true' }, '/');
    await Promise.all([job.result, run('true', { jobs: table })]);
    expect({ list: table.list(), job: table.get(job.id) }).toEqual({ list: [], job: undefined });
  });

  it('return no job of another table', async () => {
    await using table = new Jobs();
    await using other = new Jobs();
    const job = other.start('exec sleep 60');
    expect({ get: table.get(job.id), list: table.list(), kill: table.kill(job.id) }).toEqual({
      get: undefined,
      list: [],
      kill: false,
    });
    expect(() => table.read(job.id)).toThrow(expect.objectContaining({ code: 'JOB_NOT_FOUND' }));
    await expect(table.wait(job.id)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
    expect({ of: jobs.get(job.id), status: job.status }).toEqual({ of: undefined, status: 'running' });
  });

  it('of the default table return no job of another table', async () => {
    await using other = new Jobs();
    const job = jobs.start('exec sleep 60');
    expect({ default: jobs.get(job.id), other: other.get(job.id) }).toEqual({
      default: job,
      other: undefined,
    });
    await job[Symbol.asyncDispose]();
  });
});

describe('maxRunning', () => {
  it('is 15 by default', async () => {
    await using table = new Jobs();
    for (let count = 0; count < 15; count++) table.start('exec sleep 60');
    const error = catchError(() => table.start('true'));
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      code: 'JOB_LIMIT',
      message: 'Background job limit reached (15). Wait for running jobs to finish or kill one.',
    });
    expect(table.list()).toHaveLength(15);
  });

  it('starts nothing beyond it', async () => {
    await using table = new Jobs({ maxRunning: 1 });
    const file = join(directory, 'beyond');
    table.start('exec sleep 60');
    expect(() => table.start(`touch ${file}`)).toThrow(expect.objectContaining({ code: 'JOB_LIMIT' }));
    await run('sleep 0.1');
    expect(existsSync(file)).toBe(false);
  });

  it('does not count jobs that are over', async () => {
    await using table = new Jobs({ maxRunning: 2 });
    for (let round = 0; round < 5; round++) {
      await Promise.all([table.start('true').result, table.start('exit 3').result]);
    }
    expect(table.list()).toHaveLength(10);
  });

  it('has room again in the exit listener of a job', async () => {
    await using table = new Jobs({ maxRunning: 1 });
    const codes: Array<number | null> = [];
    await new Promise<void>((resolve) => {
      const next = () =>
        table.start(`exit ${codes.length}`).on('exit', (code) => {
          codes.push(code);
          if (codes.length < 4) next();
          else resolve();
        });
      next();
    });
    expect(codes).toEqual([0, 1, 2, 3]);
  });

  it('counts the jobs that run() leaves', async () => {
    await using table = new Jobs({ maxRunning: 1 });
    await run('exec sleep 60', { onTimeout: 'background', timeout: 100, jobs: table });
    expect(() => table.start('true')).toThrow(expect.objectContaining({ code: 'JOB_LIMIT' }));
  });

  it('does not count commands of run() that may go on', async () => {
    await using table = new Jobs({ maxRunning: 1 });
    const promise = run('sleep 0.2; exit 3', { onTimeout: 'background', timeout: 60_000, jobs: table });
    expect((await table.start('true').result).exitCode).toBe(0);
    expect((await promise).exitCode).toBe(3);
  });

  it('of each table is its own', async () => {
    await using first = new Jobs({ maxRunning: 1 });
    await using second = new Jobs({ maxRunning: 1 });
    first.start('exec sleep 60');
    expect(endOf(await second.start('exit 3').result).exitCode).toBe(3);
  });
});

describe('new Jobs()', () => {
  it.each<[string, unknown]>([
    ['options.maxRunning', { maxRunning: 0 }],
    ['options.maxRunning', { maxRunning: 1.5 }],
    ['options.maxRunning', { maxRunning: '3' }],
    ['options.retention', { retention: -1 }],
    ['options.retention', { retention: 2 ** 31 }],
    ['options.maxFinished', { maxFinished: -1 }],
    ['options.maxFinishedBytes', { maxFinishedBytes: -1 }],
    ['options.onHostExit', { onHostExit: 'stay' }],
    ['options.readBytes', { readBytes: 268_435_457 }],
    ['options.readBytes', { readBytes: -1 }],
    ['options.maxRuning', { maxRuning: 3 }],
    ['options', null],
    ['options', 'x'],
  ])('throws a TypeError that names a wrong %s', (name, options) => {
    expect(() => new Jobs(options as object)).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_VALUE',
        message: expect.stringContaining(`'${name}'`),
      }),
    );
  });

  it('takes undefined for what is absent', () => {
    const options = {
      maxRunning: undefined,
      retention: undefined,
      maxFinished: undefined,
      maxFinishedBytes: undefined,
      onHostExit: undefined,
      readBytes: undefined,
    };
    expect(new Jobs(options).list()).toEqual([]);
    expect(new Jobs(undefined).list()).toEqual([]);
  });

  it('makes a Job only by itself', () => {
    const Constructor = Job as unknown as new () => Job;
    expect(() => new Constructor()).toThrow(TypeError);
  });
});

describe('Jobs.kill()', () => {
  it('ends a job with all of its tree', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const job = table.start(`setsid sleep ${seconds} & sleep ${seconds}; echo`);
    await until(() => living(`sleep\0${seconds}`).length === 2, 'all sleep');
    expect(table.kill(job.id)).toBe(true);
    expect(endOf(await job.result)).toEqual({
      status: 'signaled',
      exitCode: null,
      signal: 'SIGTERM',
      error: null,
    });
    expect(living(`sleep\0${seconds}`)).toEqual([]);
  });

  it('of a job that is over is false', async () => {
    await using table = new Jobs();
    const job = table.start('true');
    await job.result;
    expect([table.kill(job.id), table.kill(job.id, 0), table.kill(job.id, 'SIGKILL')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('of an unknown id is false', async () => {
    await using table = new Jobs();
    expect([table.kill('job-0'), table.kill('')]).toEqual([false, false]);
  });

  it('with 0 asks whether the job is there', async () => {
    await using table = new Jobs();
    const job = table.start('exec sleep 60');
    expect(table.kill(job.id, 0)).toBe(true);
    expect((await table.wait(job.id, { timeout: 100 })).status).toBe('timeout');
  });

  it.each(['SIGNOTHING', '', 65, -1, 1.5, Number.NaN])('throws for the signal %j', async (signal) => {
    await using table = new Jobs();
    const job = table.start('exec sleep 60');
    expect(() => table.kill(job.id, signal as number)).toThrow(
      expect.objectContaining({ name: 'TypeError', code: 'ERR_UNKNOWN_SIGNAL' }),
    );
    expect(job.status).toBe('running');
  });

  it('throws for a signal that does not exist, whether the job is there or not', async () => {
    await using table = new Jobs();
    const job = table.start('true');
    await job.result;
    expect(() => table.kill(job.id, 'SIGNOTHING' as NodeJS.Signals)).toThrow(
      expect.objectContaining({ code: 'ERR_UNKNOWN_SIGNAL' }),
    );
  });

  it('in the turn of the start leaves nothing', async () => {
    await using table = new Jobs({ maxRunning: 20 });
    const seconds = tag();
    const started = Array.from({ length: 20 }, () => table.start(`exec sleep ${seconds}`));
    expect(started.map(({ id }) => table.kill(id))).toEqual(new Array(20).fill(true));
    const { finished } = await table.wait();
    for (const { status } of finished) expect(['aborted', 'signaled']).toContain(status);
    await until(() => living(seconds).length === 0, 'none is left');
  });
});

function catchError(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
