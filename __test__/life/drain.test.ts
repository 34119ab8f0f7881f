import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { endOf, sleepers } from './support.js';

describe('output that comes after the exit of the command', () => {
  it.concurrent('within the idle time is there', async () => {
    for (let round = 0; round < 5; round++) {
      const { stdout, backgroundPids } = await run('(sleep 0.05; echo late) & echo now', {
        drain: { idle: 2_000, max: 5_000 },
      });
      expect({ stdout, backgroundPids }).toEqual({ stdout: 'now\nlate\n', backgroundPids: [] });
    }
  });

  it('is waited for 100 ms by default', async () => {
    const seconds = tag();
    const { durationMs, stdout } = await run(`sleep ${seconds} & echo now`);
    expect(stdout).toBe('now\n');
    expect(durationMs).toBeGreaterThanOrEqual(100);
    expect(durationMs).toBeLessThan(1_900);
  });

  it.concurrent('on standard error is there', async () => {
    const { stdout, stderr } = await run('(sleep 0.05; echo late >&2) & echo now', {
      drain: { idle: 2_000 },
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'now\n', stderr: 'late\n' });
  });

  it.concurrent('is waited for anew after each piece', async () => {
    const command = '(for i in 1 2 3 4 5 6; do sleep 0.2; echo $i; done) & exit 2';
    const { stdout, exitCode } = await run(command, { drain: { idle: 1_000, max: 20_000 } });
    expect({ stdout, exitCode }).toEqual({ stdout: '1\n2\n3\n4\n5\n6\n', exitCode: 2 });
  });

  it('after the idle time is not there, and its writer is reported', async () => {
    const seconds = tag();
    const result = await run(`(sleep ${seconds}; echo late) & echo now; exit 3`, { drain: { idle: 50 } });
    expect(endOf(result)).toEqual({ status: 'exited', exitCode: 3, signal: null, error: null });
    expect({ stdout: result.stdout, truncated: result.truncated }).toEqual({
      stdout: 'now\n',
      truncated: false,
    });
    expect(result.durationMs).toBeLessThan(2_000);
    for (const pid of sleepers(seconds)) expect(result.backgroundPids).toContain(pid);
    expect(result.backgroundPids.length).toBeGreaterThanOrEqual(1);
    for (const pid of result.backgroundPids) process.kill(pid, 'SIGKILL');
  });

  it('without a pause is waited for no longer than max', async () => {
    const seconds = tag();
    const writer = `while :; do echo x; sleep 0.02; : ${seconds}; done`;
    const { stdout, durationMs, status, backgroundPids } = await run(`sh -c '${writer}' & exit 0`, {
      drain: { idle: 10_000, max: 500 },
    });
    expect(status).toBe('exited');
    expect(stdout).toMatch(/^(x\n){2,}$/);
    expect(durationMs).toBeGreaterThanOrEqual(500);
    expect(durationMs).toBeLessThan(10_000);
    expect(backgroundPids.length).toBeGreaterThanOrEqual(1);
  });

  it('as a flood is waited for no longer than max', async () => {
    const seconds = tag();
    const { durationMs, status, backgroundPids } = await run(`yes ${seconds} & exit 0`, {
      drain: { idle: 10_000, max: 300 },
    });
    expect({ status, count: backgroundPids.length }).toEqual({ status: 'exited', count: 1 });
    expect(durationMs).toBeGreaterThanOrEqual(300);
    expect(durationMs).toBeLessThan(10_000);
  });

  it('without a pause is waited for 2,000 ms by default', async () => {
    const seconds = tag();
    const { durationMs } = await run(`yes ${seconds} & exit 0`, { output: { maxBytes: 1_000 } });
    expect(durationMs).toBeGreaterThanOrEqual(2_000);
    expect(durationMs).toBeLessThan(20_000);
  });

  it('is all there with end', async () => {
    const { stdout, stderr, exitCode, backgroundPids, durationMs } = await run(
      '(sleep 0.6; echo late; echo too >&2) & echo now; exit 3',
      { drain: 'end' },
    );
    expect({ stdout, stderr, exitCode, backgroundPids }).toEqual({
      stdout: 'now\nlate\n',
      stderr: 'too\n',
      exitCode: 3,
      backgroundPids: [],
    });
    expect(durationMs).toBeGreaterThanOrEqual(600);
  });

  it('is waited for until the timeout with end', async () => {
    const seconds = tag();
    const result = await run(`(echo early; exec sleep ${seconds}) & exit 3`, { drain: 'end', timeout: 500 });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: 3, signal: null, error: null });
    expect({ stdout: result.stdout, reported: result.backgroundPids, left: sleepers(seconds) }).toEqual({
      stdout: 'early\n',
      reported: [],
      left: [],
    });
  });

  it.concurrent('arrives as data before the exit event', async () => {
    await using table = new Jobs();
    const received: string[] = [];
    const job = table.start('(sleep 0.2; echo late) & echo now', { drain: 'end' });
    job.on('data', (text) => received.push(text));
    job.on('exit', () => received.push('exit'));
    await job.result;
    await new Promise(setImmediate);
    expect(received).toEqual(['now\n', 'late\n', 'exit']);
  });
});

describe('nothing is waited for', () => {
  it('when no process holds the output', async () => {
    const { durationMs, stdout } = await run('echo hi', { drain: { idle: 20_000, max: 60_000 } });
    expect(stdout).toBe('hi\n');
    expect(durationMs).toBeLessThan(10_000);
  });

  it('when those that run on have closed the output', async () => {
    const seconds = tag();
    const { durationMs, backgroundPids } = await run(`sleep ${seconds} >/dev/null 2>&1 & echo hi`, {
      drain: { idle: 20_000, max: 60_000 },
    });
    expect(durationMs).toBeLessThan(10_000);
    // The result may come before the process has executed `sleep`.
    await until(() => sleepers(seconds).length === 1, 'it sleeps');
    expect(backgroundPids).toEqual(sleepers(seconds));
  });

  it('with an idle time of 0, but what is there is read', async () => {
    const seconds = tag();
    for (let round = 0; round < 10; round++) {
      const { stdout } = await run(`sleep ${seconds} & seq 10000`, { drain: { idle: 0 } });
      expect(stdout.length).toBe(48_894);
    }
  });

  it('with a max of 0, but what is there is read', async () => {
    const seconds = tag();
    for (let round = 0; round < 10; round++) {
      const { stdout } = await run(`sleep ${seconds} & seq 10000`, { drain: { max: 0 } });
      expect(stdout.length).toBe(48_894);
    }
  });
});
