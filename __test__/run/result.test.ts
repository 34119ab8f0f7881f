import { readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, type RunOptions, type RunResult, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { within } from '../support/slowness.mjs';
import { tag } from '../support/tag.js';

const directory = temporaryDirectory();

const KEYS = [
  'command',
  'cwd',
  'status',
  'exitCode',
  'signal',
  'stdout',
  'stderr',
  'output',
  'truncated',
  'totalBytes',
  'durationMs',
  'pid',
  'processGroup',
  'backgroundPids',
  'jobId',
  'limits',
  'cursor',
  'spillPath',
  'decision',
  'spill',
  'view',
  'usage',
  'sandbox',
  'target',
  'error',
].sort();

const ENDS: Array<[RunResult['status'], string | string[], () => RunOptions]> = [
  ['exited', 'exit 3', () => ({})],
  ['signaled', 'kill -TERM $$', () => ({})],
  ['timeout', 'exec sleep 60', () => ({ timeout: 100 })],
  ['idleTimeout', 'exec sleep 60', () => ({ idleTimeout: 100 })],
  ['aborted', 'exec sleep 60', () => ({ signal: AbortSignal.timeout(300) })],
  ['aborted', 'exec sleep 60', () => ({ signal: AbortSignal.abort() })],
  ['failed', ['/no/such/program'], () => ({})],
  ['failed', 'true', () => ({ cwd: '/no/such/directory' })],
];

describe('a result', () => {
  it.each(ENDS)('has exactly the documented keys when it is %s: %s', async (status, command, options) => {
    for (const output of [{}, { spill: true }]) {
      const result = await run(command, { ...options(), output });
      expect(result.status).toBe(status);
      expect(Object.keys(result).sort()).toEqual(KEYS);
      expect(Object.keys(result.totalBytes).sort()).toEqual(['stderr', 'stdout']);
      // An absent value is null, never undefined, and the result survives JSON.
      expect(JSON.parse(JSON.stringify(result))).toEqual({ ...result });
      if (result.spill !== null) {
        expect(Object.keys(result.spill).sort()).toEqual(['bytes', 'complete', 'error', 'path']);
      }
      if (result.usage !== null) {
        expect(Object.keys(result.usage).sort()).toEqual(['maxRssBytes', 'systemMs', 'userMs']);
      }
      if (result.error !== null) {
        expect(Object.keys(result.error).sort()).toEqual(['code', 'message']);
      }
    }
  });

  it('has exactly the documented keys when it is background, and at the end of that', async () => {
    await using jobs = new Jobs();
    const go = join(directory, 'go');
    const command = `while [ ! -e ${go} ]; do sleep 0.01; done`;
    const result = await run(command, { timeout: 500, onTimeout: 'background', jobs });
    expect(Object.keys(result).sort()).toEqual(KEYS);
    expect(result).toMatchObject({ status: 'background', exitCode: null, signal: null, error: null });
    expect(jobs.get(result.jobId ?? '')?.pid).toBe(result.pid);
    writeFileSync(go, '');
    const end = await jobs.get(result.jobId ?? '')?.result;
    expect(Object.keys(end ?? {}).sort()).toEqual(KEYS);
    expect(end).toMatchObject({ status: 'exited', exitCode: 0, jobId: result.jobId, pid: result.pid });
  });

  it('has every fact of an exit', async () => {
    const command = ' echo out; echo err >&2; exit 3 ';
    const result = await run(command, { cwd: '/proc/self/../../' });
    const { durationMs, pid, usage, ...rest } = result;
    expect(rest).toEqual({
      command,
      cwd: '/',
      status: 'exited',
      exitCode: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      output: 'out\nerr\n',
      truncated: false,
      totalBytes: { stdout: 4, stderr: 4 },
      processGroup: pid,
      backgroundPids: [],
      jobId: null,
      cursor: null,
      spillPath: null,
      spill: null,
      decision: null,
      view: null,
      limits: null,
      sandbox: null,
      target: null,
      error: null,
    });
    expect(pid).toBeGreaterThan(1);
    expect(durationMs).toBeGreaterThan(0);
    expect(usage).not.toBeNull();
  });

  it.each([0, 1, 2, 126, 127, 128, 129, 255])('has the exit code %d', async (code) => {
    const { status, exitCode, signal } = await run(`exit ${code}`);
    expect({ status, exitCode, signal }).toEqual({ status: 'exited', exitCode: code, signal: null });
  });

  it.each(['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGUSR1', 'SIGPIPE', 'SIGALRM'] as const)(
    'has the signal %s',
    async (signal) => {
      const result = await run(['/bin/sh', '-c', `kill -${signal.slice(3)} $$`]);
      const { status, exitCode, error } = result;
      expect({ status, exitCode, signal: result.signal, error }).toEqual({
        status: 'signaled',
        exitCode: null,
        signal,
        error: null,
      });
    },
  );

  it('has the code that a shell gives for the death of what it has started', async () => {
    const { status, exitCode } = await run("sh -c 'kill -KILL $$'; exit $?", { shell: '/bin/dash' });
    expect({ status, exitCode }).toEqual({ status: 'exited', exitCode: 137 });
  });

  it('has the signal that has ended it at its timeout, or the code that it has chosen itself', async () => {
    const killed = await run('exec sleep 60', { timeout: 100, killSignal: 'SIGINT' });
    expect([killed.status, killed.exitCode, killed.signal]).toEqual(['timeout', null, 'SIGINT']);
    const chosen = await run("trap 'exit 5' TERM; echo on; while :; do sleep 0.01; done", {
      timeout: within(600),
    });
    expect([chosen.status, chosen.exitCode, chosen.signal]).toEqual(['timeout', 5, null]);
  });

  it('has the number of the process that ran', async () => {
    const { pid, processGroup, stdout } = await run('echo $$', { shell: '/bin/dash' });
    expect(stdout).toBe(`${pid}\n`);
    expect(processGroup).toBe(pid);
  });

  it('has a duration that is no shorter than the command', async () => {
    const start = performance.now();
    const { durationMs } = await run('sleep 0.2');
    expect(durationMs).toBeGreaterThanOrEqual(200);
    expect(durationMs).toBeLessThanOrEqual(performance.now() - start + 1);
  });

  it('has the duration of its own command, not of others that run at the same time', async () => {
    const [short, long] = await Promise.all([run('true'), run('sleep 0.5')]);
    expect(long.durationMs).toBeGreaterThanOrEqual(500);
    expect(short.durationMs).toBeLessThan(long.durationMs);
  });

  it('has the processes that are left', async () => {
    const { backgroundPids, stdout, status } = await run(`sleep ${tag()} >/dev/null 2>&1 & echo $!`, {
      shell: '/bin/dash',
    });
    expect(status).toBe('exited');
    expect(backgroundPids).toEqual([Number(stdout)]);
    expect(readlinkSync(`/proc/${backgroundPids[0]}/exe`)).toMatch(/sleep|coreutils|busybox/);
  });

  it('can be disposed of only where a file was asked for', async () => {
    const plain = await run('true');
    expect(Symbol.asyncDispose in plain).toBe(false);
    const spilled = await run('true', { output: { spill: true } });
    expect(spilled[Symbol.asyncDispose]).toBeTypeOf('function');
    await spilled[Symbol.asyncDispose]();
  });
});
