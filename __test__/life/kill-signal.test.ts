import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { BashJob, Jobs, run, type SignalName } from '../../index.js';
import { endOf, printed, STUBBORN } from './support.js';

/**
 * Says which signal has asked it to end, and ends. `up` comes from another process: zsh runs a trap also
 * while its own echo is writing, and then writes that text again.
 */
const TELLS = `
  trap 'echo TERM; exit 0' TERM; trap 'echo INT; exit 0' INT; trap 'echo HUP; exit 0' HUP
  trap 'echo USR1; exit 0' USR1; trap 'echo QUIT; exit 0' QUIT
  /bin/echo up
  while :; do sleep 0.03; done
`;

describe('killSignal', () => {
  it.concurrent.each<[NodeJS.Signals | number, string]>([
    ['SIGTERM', 'TERM'],
    ['SIGINT', 'INT'],
    ['SIGHUP', 'HUP'],
    ['SIGQUIT', 'QUIT'],
    ['SIGUSR1', 'USR1'],
    [constants.signals.SIGINT, 'INT'],
    [constants.signals.SIGUSR1, 'USR1'],
  ])('%s is what the timeout sends', async (killSignal, name) => {
    const result = await run(TELLS, { timeout: 500, killSignal });
    expect({ end: endOf(result), stdout: result.stdout }).toEqual({
      end: { status: 'timeout', exitCode: 0, signal: null, error: null },
      stdout: `up\n${name}\n`,
    });
  });

  it.concurrent('is what kill() sends', async () => {
    await using table = new Jobs();
    const job = table.start(TELLS, { killSignal: 'SIGINT' });
    await printed(job, 'up');
    expect(job.kill()).toBe(true);
    expect((await job.result).stdout).toBe('up\nINT\n');
  });

  it.concurrent('is what kill(id) sends', async () => {
    await using table = new Jobs();
    const job = table.start(TELLS, { killSignal: 'SIGHUP' });
    await printed(job, 'up');
    expect(table.kill(job.id)).toBe(true);
    expect((await job.result).stdout).toBe('up\nHUP\n');
  });

  it.concurrent('given to kill() ends the job too: SIGKILL follows', async () => {
    await using table = new Jobs();
    const job = table.start(STUBBORN, { killSignal: 'SIGINT', forceKillAfterDelay: 200 });
    await printed(job, 'deaf');
    job.kill('SIGINT');
    expect(endOf(await job.result)).toEqual({
      status: 'signaled',
      exitCode: null,
      signal: 'SIGKILL',
      error: null,
    });
  });

  it.concurrent('does not hinder kill(SIGTERM) from ending the job', async () => {
    await using table = new Jobs();
    const job = table.start(STUBBORN, { killSignal: 'SIGINT', forceKillAfterDelay: 200 });
    await printed(job, 'deaf');
    job.kill('SIGTERM');
    expect((await job.result).signal).toBe('SIGKILL');
  });

  it.concurrent('SIGKILL ends a command that ignores signals at once', async () => {
    const result = await run(STUBBORN, { timeout: 400, killSignal: 'SIGKILL' });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGKILL', error: null });
  });

  it.concurrent('9 is SIGKILL', async () => {
    expect((await run('exec sleep 60', { timeout: 200, killSignal: 9 })).signal).toBe('SIGKILL');
  });

  it.concurrent('that a command ignores is followed by SIGKILL', async () => {
    // SIGWINCH does nothing to a process that does not ask for it.
    const result = await run('exec sleep 60', {
      timeout: 200,
      killSignal: 'SIGWINCH',
      forceKillAfterDelay: 200,
    });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGKILL', error: null });
    expect(result.durationMs).toBeGreaterThanOrEqual(400);
  });

  it.concurrent.each([0, -1, 65, 1.5, Number.NaN, 'SIGNOTHING', '', null, {}])(
    'can not be %s',
    async (killSignal) => {
      await expect(run('true', { killSignal: killSignal as number })).rejects.toMatchObject({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_VALUE',
        message: expect.stringContaining("'options.killSignal'"),
      });
    },
  );
});

describe.runIf(process.platform === 'linux')('a real-time signal', () => {
  it.concurrent.each<[SignalName | number, SignalName]>([
    [40, 'SIG40'],
    ['SIG40', 'SIG40'],
    [34 + 1, 'SIG35'],
    ['SIG64', 'SIG64'],
  ])('%s can be sent, and is reported by its name', async (signal, name) => {
    await using table = new Jobs();
    const job = table.start('echo up; exec sleep 60');
    await printed(job, 'up');
    expect(job.kill(signal)).toBe(true);
    const result = await job.result;
    expect(endOf(result)).toEqual({ status: 'signaled', exitCode: null, signal: name, error: null });
    expect(job.kill(result.signal ?? undefined)).toBe(false);
  });

  it('can be the killSignal', async () => {
    const result = await run('exec sleep 60', { timeout: 300, killSignal: 'SIG40' });
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIG40', error: null });
  });

  it.each(['SIG32', 'SIG33', 'SIG65', 32, 33, 65])(
    'can not be %s, which programs do not have',
    async (signal) => {
      const job = new BashJob({ command: 'true' }, '/');
      expect(() => job.kill(signal as SignalName)).toThrow(
        expect.objectContaining({ code: 'ERR_UNKNOWN_SIGNAL' }),
      );
      await job.result;
    },
  );
});

describe('a signal that is not asked to end the job', () => {
  it('is only sent', async () => {
    await using table = new Jobs();
    const job = table.start("trap 'echo got' USR2; /bin/echo up; while :; do sleep 0.03; done", {
      forceKillAfterDelay: 50,
    });
    await printed(job, 'up');
    expect(job.kill('SIGUSR2')).toBe(true);
    await printed(job, 'got');
    expect((await table.wait(job.id, { timeout: 250 })).status).toBe('timeout');
    expect(job.kill(0)).toBe(true);
  });

  it('that kills it nevertheless is what it died of', async () => {
    await using table = new Jobs();
    const job = table.start('echo up; exec sleep 60');
    await printed(job, 'up');
    job.kill('SIGUSR2');
    expect(endOf(await job.result)).toEqual({
      status: 'signaled',
      exitCode: null,
      signal: 'SIGUSR2',
      error: null,
    });
  });
});
