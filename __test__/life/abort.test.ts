import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { endOf, hardToEnd, printed, STUBBORN, sleepers } from './support.js';

const directory = temporaryDirectory();

describe('an AbortSignal that fired before', () => {
  it('starts nothing', async () => {
    const file = join(directory, 'started-by-run');
    const result = await run(`touch ${file}`, { signal: AbortSignal.abort() });
    // A second command, so that time has passed.
    await run('sleep 0.1');
    expect({ isThere: existsSync(file), end: endOf(result) }).toEqual({
      isThere: false,
      end: { status: 'aborted', exitCode: null, signal: null, error: 'ABORT_ERR' },
    });
    expect(result).toMatchObject({ pid: null, processGroup: null, stdout: '', usage: null, jobId: null });
  });

  it('starts no job of a table', async () => {
    await using table = new Jobs();
    const file = join(directory, 'started-by-table');
    const job = table.start(`touch ${file}`, { signal: AbortSignal.abort() });
    const result = await job.result;
    await run('sleep 0.1');
    expect({ isThere: existsSync(file), end: endOf(result), pid: job.pid, status: job.status }).toEqual({
      isThere: false,
      end: { status: 'aborted', exitCode: null, signal: null, error: 'ABORT_ERR' },
      pid: null,
      status: 'aborted',
    });
  });

  it('starts nothing that would go to the background at once', async () => {
    await using table = new Jobs();
    const { status, jobId } = await run('sleep 60', {
      signal: AbortSignal.abort(),
      onTimeout: 'background',
      timeout: 0,
      jobs: table,
    });
    expect({ status, jobId, list: table.list() }).toEqual({ status: 'aborted', jobId: null, list: [] });
  });

  it('comes before a directory that is missing', async () => {
    expect((await run('true', { signal: AbortSignal.abort(), cwd: '/nowhere' })).status).toBe('aborted');
  });

  it('has no listener left on it', async () => {
    const signal = AbortSignal.abort();
    await run('true', { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('an AbortSignal that fires while the command runs', () => {
  it('ends it and keeps its output', async () => {
    const controller = new AbortController();
    const seconds = tag();
    const promise = run(`echo out; echo err >&2; exec sleep ${seconds}`, { signal: controller.signal });
    await until(() => sleepers(seconds).length === 1, 'it sleeps');
    controller.abort();
    const result = await promise;
    expect(endOf(result)).toEqual({ status: 'aborted', exitCode: null, signal: 'SIGTERM', error: null });
    expect({ stdout: result.stdout, stderr: result.stderr }).toEqual({ stdout: 'out\n', stderr: 'err\n' });
  });

  it('ends all of its tree', async () => {
    const controller = new AbortController();
    const seconds = tag();
    const { command, count } = hardToEnd(seconds);
    const promise = run(`${command}\nexec sleep ${seconds}`, {
      signal: controller.signal,
      forceKillAfterDelay: 200,
    });
    await until(() => sleepers(seconds).length === count + 1, 'all sleep');
    controller.abort();
    const { status, backgroundPids } = await promise;
    const left = sleepers(seconds);
    expect({ status, left, backgroundPids }).toEqual({ status: 'aborted', left: [], backgroundPids: [] });
  });

  it.each([0, 7])('leaves it its exit code %i', async (code) => {
    await using table = new Jobs();
    const controller = new AbortController();
    const job = table.start(`trap 'exit ${code}' TERM; echo up; while :; do sleep 0.03; done`, {
      signal: controller.signal,
    });
    await printed(job, 'up');
    controller.abort();
    expect(endOf(await job.result)).toEqual({ status: 'aborted', exitCode: code, signal: null, error: null });
  });

  it('is followed by SIGKILL', async () => {
    await using table = new Jobs();
    const controller = new AbortController();
    const job = table.start(STUBBORN, { signal: controller.signal, forceKillAfterDelay: 200 });
    await printed(job, 'deaf');
    controller.abort();
    expect(endOf(await job.result)).toEqual({
      status: 'aborted',
      exitCode: null,
      signal: 'SIGKILL',
      error: null,
    });
  });

  it('sends the killSignal', async () => {
    const signal = AbortSignal.timeout(200);
    expect((await run('exec sleep 60', { signal, killSignal: 'SIGQUIT' })).signal).toBe('SIGQUIT');
  });

  it.each([
    ['an error', new Error('because')],
    ['a text', 'because'],
    ['null', null],
  ])('may have %s for a reason', async (_, reason) => {
    const controller = new AbortController();
    const promise = run('exec sleep 60', { signal: controller.signal });
    controller.abort(reason);
    const { status, exitCode, stdout } = await promise;
    expect({ status, exitCode, stdout }).toEqual({ status: 'aborted', exitCode: null, stdout: '' });
  });

  it('may fire in the turn of the call, and leaves nothing', async () => {
    const seconds = tag();
    const results = await Promise.all(
      Array.from({ length: 20 }, () => {
        const controller = new AbortController();
        const promise = run(`exec sleep ${seconds}`, { signal: controller.signal });
        controller.abort();
        return promise;
      }),
    );
    for (const { status } of results) expect(status).toBe('aborted');
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('gives one end when the command exits at the same moment', async () => {
    for (let round = 0; round < 40; round++) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), round % 8);
      const { status, exitCode, signal, stdout } = await run('printf hi; exit 3', {
        signal: controller.signal,
      });
      const end = `${status} ${exitCode} ${signal}`;
      // Either it was over first, or it was ended, before its exit or after it; or there was no process yet.
      expect(['exited 3 null', 'aborted 3 null', 'aborted null SIGTERM', 'aborted null null']).toContain(end);
      if (exitCode === 3) expect(stdout).toBe('hi');
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    }
  });

  it('changes nothing between the exit and its event', async () => {
    await using table = new Jobs();
    const controller = new AbortController();
    const job = table.start('exec sleep 0.1', { signal: controller.signal });
    const pid = await until(() => job.pid, 'there is a process');
    const deadline = performance.now() + 10_000;
    // The leader is reaped after the promise is settled.
    while (existsSync(`/proc/${pid}`) && performance.now() < deadline);
    controller.abort();
    expect(endOf(await job.result)).toEqual({ status: 'exited', exitCode: 0, signal: null, error: null });
  });

  it('changes nothing after the end', async () => {
    const controller = new AbortController();
    const result = await run('exit 3', { signal: controller.signal });
    controller.abort();
    await run('true');
    expect(result.status).toBe('exited');
  });
});

describe('one AbortSignal', () => {
  it('for 100 commands has one listener, none afterwards, and gives no warning', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(warning.message);
    process.on('warning', listen);
    const { signal } = new AbortController();
    const all = Promise.all(Array.from({ length: 100 }, () => run('exit 3', { signal })));
    const meanwhile = getEventListeners(signal, 'abort').length;
    const codes = (await all).map(({ exitCode }) => exitCode);
    await new Promise(setImmediate);
    process.off('warning', listen);
    expect(codes).toEqual(new Array(100).fill(3));
    expect({ meanwhile, after: getEventListeners(signal, 'abort').length, warnings }).toEqual({
      meanwhile: 1,
      after: 0,
      warnings: [],
    });
  });

  it('ends all of its commands', async () => {
    const seconds = tag();
    const controller = new AbortController();
    const all = Promise.all(
      Array.from({ length: 20 }, () => run(`exec sleep ${seconds}`, { signal: controller.signal })),
    );
    await until(() => sleepers(seconds).length === 20, 'all sleep');
    controller.abort();
    const ends = (await all).map(endOf);
    expect(ends).toEqual(
      new Array(20).fill({ status: 'aborted', exitCode: null, signal: 'SIGTERM', error: null }),
    );
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('has no listener after a launch that failed', async () => {
    const { signal } = new AbortController();
    await run('true', { signal, cwd: '/nowhere' });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('has no listener after a wrong option', async () => {
    const { signal } = new AbortController();
    await expect(run('true', { signal, timeout: -1 })).rejects.toThrow('options.timeout');
    await expect(run('true', { signal, shell: ['/bin/sh', 'a\0b'] })).rejects.toThrow('options.shell');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
