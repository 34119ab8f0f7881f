import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { tag } from '../support/tag.js';
import { deliberateDelay } from '../support/waits.mjs';
import { endOf, hardToEnd, sleepers } from './support.js';

describe('a command that writes nothing for its idleTimeout', () => {
  it.concurrent('is ended and keeps its output', async () => {
    const result = await run('echo out; echo err >&2; exec sleep 60', { idleTimeout: 400 });
    expect(endOf(result)).toEqual({ status: 'idleTimeout', exitCode: null, signal: 'SIGTERM', error: null });
    expect({ stdout: result.stdout, stderr: result.stderr }).toEqual({ stdout: 'out\n', stderr: 'err\n' });
    expect(result.durationMs).toBeGreaterThanOrEqual(400);
  });

  it.concurrent('from its start on is ended too', async () => {
    const { status, durationMs, stdout } = await run('exec sleep 60', { idleTimeout: 300 });
    expect({ status, stdout }).toEqual({ status: 'idleTimeout', stdout: '' });
    expect(durationMs).toBeGreaterThanOrEqual(300);
  });

  it.concurrent('has its exit code when it exits on SIGTERM', async () => {
    const command = "trap 'exit 9' TERM; while :; do sleep 0.05; done";
    const result = await run(command, { idleTimeout: 400 });
    expect(endOf(result)).toEqual({ status: 'idleTimeout', exitCode: 9, signal: null, error: null });
  });

  it('is gone with all of its tree', async () => {
    const seconds = tag();
    const { command } = hardToEnd(seconds);
    const { status } = await run(`${command}\nexec sleep ${seconds}`, {
      idleTimeout: 700,
      forceKillAfterDelay: 200,
    });
    const left = sleepers(seconds);
    expect({ status, left }).toEqual({ status: 'idleTimeout', left: [] });
  });

  it.concurrent('is ended by the killSignal', async () => {
    const { signal } = await run('exec sleep 60', { idleTimeout: 200, killSignal: 'SIGINT' });
    expect(signal).toBe('SIGINT');
  });
});

describe('an idleTimeout', () => {
  it.concurrent.each([
    ['stdout', 'echo x'],
    ['stderr', 'echo x >&2'],
    ['both in turn', 'if [ $((i % 2)) = 0 ]; then echo x; else echo x >&2; fi'],
    ['stdout without line breaks', 'printf x'],
  ])('begins anew with output on %s', async (_, write) => {
    const command = `i=0; while [ $i -lt 8 ]; do sleep 0.25; ${write}; i=$((i+1)); done; exit 6`;
    const result = await run(command, { idleTimeout: 1_500 });
    expect(endOf(result)).toEqual({ status: 'exited', exitCode: 6, signal: null, error: null });
    // Longer than the limit in all.
    expect(result.durationMs).toBeGreaterThanOrEqual(2_000);
  });

  it.concurrent('begins anew with output that is merged', async () => {
    const command = 'for i in 1 2 3 4; do sleep 0.3; echo $i >&2; done';
    const { status, stdout } = await run(command, { idleTimeout: 1_100, output: { merge: true } });
    expect({ status, stdout }).toEqual({ status: 'exited', stdout: '1\n2\n3\n4\n' });
  });

  it.concurrent('of 0 is none', async () => {
    expect((await run('sleep 0.3; exit 4', { idleTimeout: 0 })).exitCode).toBe(4);
  });

  it.concurrent('that is longer than the timeout comes second', async () => {
    expect((await run('exec sleep 60', { idleTimeout: 60_000, timeout: 200 })).status).toBe('timeout');
  });

  it.concurrent('that is shorter than the timeout comes first', async () => {
    expect((await run('exec sleep 60', { idleTimeout: 200, timeout: 60_000 })).status).toBe('idleTimeout');
  });

  it.concurrent('does not count while the consumer is slow', async () => {
    await using table = new Jobs();
    // Two MB do not fit into what waits for a reader: the command waits until somebody reads.
    const job = table.start('head -c 2000000 /dev/zero; exit 3', { idleTimeout: 300 });
    const iterator = job[Symbol.asyncIterator]();
    await iterator.next();
    await table.wait(job.id, { timeout: 1_000 });
    const statusMeanwhile = job.status;
    let length = 0;
    for await (const { text } of iterator) length += text.length;
    const result = await job.result;
    expect({ statusMeanwhile, end: endOf(result), isMost: length > 1_000_000 }).toEqual({
      statusMeanwhile: 'running',
      end: { status: 'exited', exitCode: 3, signal: null, error: null },
      isMost: true,
    });
    expect(result.totalBytes.stdout).toBe(2_000_000);
  });

  it.concurrent('counts again when the slow consumer has read everything', async () => {
    await using table = new Jobs();
    const job = table.start('head -c 2000000 /dev/zero; exec sleep 60', { idleTimeout: 500 });
    let length = 0;
    for await (const { text } of job) {
      length += text.length;
      await deliberateDelay(10);
    }
    expect({ length, status: (await job.result).status }).toEqual({
      length: 2_000_000,
      status: 'idleTimeout',
    });
  });

  it.concurrent('holds for a command in the background', async () => {
    await using table = new Jobs();
    const { status, jobId } = await run('echo hi; exec sleep 60', {
      onTimeout: 'background',
      timeout: 300,
      idleTimeout: 900,
      jobs: table,
    });
    const { finished } = await table.wait(jobId ?? '');
    expect([status, finished[0]?.status]).toEqual(['background', 'idleTimeout']);
  });
});
