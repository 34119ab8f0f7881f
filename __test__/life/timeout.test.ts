import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { endOf, hardToEnd, printed, STUBBORN, sleepers } from './support.js';

describe('a command that takes longer than its timeout', () => {
  it('is ended by SIGTERM and keeps the output of both streams', async () => {
    const seconds = tag();
    const result = await run(`echo out; echo err >&2; exec sleep ${seconds}`, { timeout: 500 });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGTERM', error: null });
    expect({
      stdout: result.stdout,
      stderr: result.stderr,
      totalBytes: result.totalBytes,
      truncated: result.truncated,
    }).toEqual({
      stdout: 'out\n',
      stderr: 'err\n',
      totalBytes: { stdout: 4, stderr: 4 },
      truncated: false,
    });
    expect(result.durationMs).toBeGreaterThanOrEqual(500);
    expect({ jobId: result.jobId, left: result.backgroundPids }).toEqual({ jobId: null, left: [] });
  });

  it.concurrent('keeps output without a line break, and half of a character as U+FFFD', async () => {
    const { stdout } = await run("printf 'a\\342\\202'; exec sleep 60", { timeout: 400 });
    expect(stdout).toBe('a\uFFFD');
  });

  it.concurrent('keeps the output that follows SIGTERM', async () => {
    const command = "trap 'echo bye; echo ouch >&2; exit 3' TERM; echo up; while :; do sleep 0.05; done";
    const result = await run(command, { timeout: 500 });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: 3, signal: null, error: null });
    expect(result.stdout).toBe('up\nbye\n');
    // bash reports the end of its `sleep` first.
    expect(result.stderr).toMatch(/(^|\n)ouch\n$/);
  });

  it.concurrent.each([0, 7, 255])('that exits with %i on SIGTERM has that exit code', async (code) => {
    const command = `trap 'exit ${code}' TERM; while :; do sleep 0.05; done`;
    const result = await run(command, { timeout: 400 });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: code, signal: null, error: null });
  });

  it.concurrent('that another signal ends after SIGTERM has that signal', async () => {
    const command = "trap 'trap - USR1; kill -USR1 $$' TERM; while :; do sleep 0.05; done";
    const result = await run(command, { timeout: 400 });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGUSR1', error: null });
  });

  it('is gone with all of its tree when the answer comes', async () => {
    const seconds = tag();
    const { command, count } = hardToEnd(seconds);
    const table = new Jobs();
    const job = table.start(`${command}\necho up; exec sleep ${seconds}`, {
      timeout: 1_000,
      forceKillAfterDelay: 200,
    });
    await until(() => sleepers(seconds).length === count + 1, 'all sleep');
    const result = await job.result;
    const left = sleepers(seconds);
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGTERM', error: null });
    expect({ left, reported: result.backgroundPids }).toEqual({ left: [], reported: [] });
    await table.dispose();
  });

  it('is ended too when it has exited and another process holds its output', async () => {
    const seconds = tag();
    const result = await run(`sleep ${seconds} & echo now; exit 5`, { timeout: 500, drain: 'end' });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: 5, signal: null, error: null });
    expect({ stdout: result.stdout, left: sleepers(seconds) }).toEqual({ stdout: 'now\n', left: [] });
  });

  it.concurrent('is ended too when it is stopped', async () => {
    const result = await run('kill -STOP $$', { timeout: 400 });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGTERM', error: null });
  });

  it.concurrent('is ended too when it floods', async () => {
    const result = await run('exec yes', { timeout: 300, output: { maxBytes: 1_000, keep: 'head' } });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGTERM', error: null });
    expect({ stdout: result.stdout.startsWith('y\ny\n'), truncated: result.truncated }).toEqual({
      stdout: true,
      truncated: true,
    });
  });

  it.concurrent('is an array of words as well', async () => {
    const result = await run(['sleep', '60'], { timeout: 200 });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGTERM', error: null });
  });

  it.concurrent('is a job of a table as well', async () => {
    await using table = new Jobs();
    const job = table.start('exec sleep 60', { timeout: 200 });
    const result = await job.result;
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGTERM', error: null });
    expect({ status: job.status, jobId: result.jobId }).toEqual({ status: 'timeout', jobId: job.id });
  });
});

describe('a timeout', () => {
  it.concurrent('of 0 is none', async () => {
    expect(endOf(await run('sleep 0.3; exit 4', { timeout: 0 }))).toEqual({
      status: 'exited',
      exitCode: 4,
      signal: null,
      error: null,
    });
  });

  it.concurrent('that is longer than the command changes nothing', async () => {
    const { status, stdout } = await run('echo hi', { timeout: 60_000 });
    expect({ status, stdout }).toEqual({ status: 'exited', stdout: 'hi\n' });
  });

  it.concurrent('beyond every date is none', async () => {
    expect((await run('exit 2', { timeout: Number.MAX_VALUE })).exitCode).toBe(2);
  });

  it.concurrent('of a fraction of a millisecond ends the command', async () => {
    expect((await run('exec sleep 60', { timeout: 0.25 })).status).toBe('timeout');
  });

  it('does not need the event loop', async () => {
    const promise = run('exec sleep 60', { timeout: 200 });
    const deadline = performance.now() + 800;
    while (performance.now() < deadline);
    const { status, durationMs } = await promise;
    expect(status).toBe('timeout');
    // The command was ended while JavaScript was busy: the result shows it.
    expect(durationMs).toBeLessThan(800);
  });
});

describe('forceKillAfterDelay', () => {
  it.concurrent('sends SIGKILL to a command that ignores SIGTERM, not before its time', async () => {
    const result = await run(STUBBORN, { timeout: 400, forceKillAfterDelay: 300 });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGKILL', error: null });
    expect(result.stdout).toBe('deaf\n');
    expect(result.durationMs).toBeGreaterThanOrEqual(700);
  });

  it.concurrent('of 0 sends it at once', async () => {
    const result = await run(STUBBORN, { timeout: 400, forceKillAfterDelay: 0 });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGKILL', error: null });
  });

  it('sends SIGKILL to a child that ignores signals when the shell has ended on SIGTERM', async () => {
    const seconds = tag();
    const child = `sh -c "trap '' TERM; exec sleep ${seconds}"`;
    const result = await run(`${child} & sleep 0.2; trap 'exit 7' TERM; while :; do sleep 0.05; done`, {
      timeout: 600,
      forceKillAfterDelay: 300,
    });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: 7, signal: null, error: null });
    expect(result.durationMs).toBeGreaterThanOrEqual(900);
    expect({ left: sleepers(seconds), reported: result.backgroundPids }).toEqual({ left: [], reported: [] });
  });

  it.concurrent('does not delay the answer of a command that handles SIGTERM', async () => {
    const { status, durationMs } = await run('exec sleep 60', { timeout: 200, forceKillAfterDelay: 60_000 });
    expect(status).toBe('timeout');
    expect(durationMs).toBeLessThan(10_000);
  });

  it.concurrent('of false never sends SIGKILL', async () => {
    const command = "trap '' TERM; echo deaf; sleep 1.2; exit 4";
    const result = await run(command, { timeout: 300, forceKillAfterDelay: false });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: 4, signal: null, error: null });
    expect(result.durationMs).toBeGreaterThanOrEqual(1_200);
  });

  it.concurrent('of false leaves a command that ignores signals to kill(SIGKILL)', async () => {
    await using table = new Jobs();
    const job = table.start(STUBBORN, { forceKillAfterDelay: false });
    await printed(job, 'deaf');
    job.kill();
    expect((await table.wait(job.id, { timeout: 300 })).status).toBe('timeout');
    expect(job.kill('SIGKILL')).toBe(true);
    expect(endOf(await job.result)).toEqual({
      status: 'signaled',
      exitCode: null,
      signal: 'SIGKILL',
      error: null,
    });
  });
});
