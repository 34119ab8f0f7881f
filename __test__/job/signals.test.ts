import { describe, expect, it } from 'vitest';
import { BashJob } from '../../index.js';
import { EventLog } from '../support/event-log.js';
import { until } from '../support/processes.mjs';
import { unchangedFor } from '../support/waits.mjs';

/** A program that says which signal it gets: unlike a shell, it does so at once and goes on. */
function trapper(signal: string): string {
  const program = `process.on(${JSON.stringify(signal)}, () => console.log('caught'));
    setInterval(() => {}, 1000); console.log('ready')`;
  return `exec '${process.execPath}' -e '${program.replaceAll("'", '"').replaceAll('"', "'\"'")}'`;
}

describe('a signal that ends nothing', () => {
  it.each(['SIGINT', 'SIGUSR2', 'SIGHUP', 'SIGWINCH'] as const)('%s is handed on', async (signal) => {
    const job = new BashJob({ command: trapper(signal) }, '/');
    const received = new EventLog(job);
    await until(() => received.text().includes('ready'), 'it is ready');
    expect(job.kill(signal)).toBe(true);
    await until(() => received.text().includes('caught'), 'it caught the signal');
    expect(job.status).toBe('running');
    job.kill('SIGKILL');
    expect((await job.result).stdout).toBe('ready\ncaught\n');
  });

  it('may come more than once', async () => {
    const job = new BashJob({ command: trapper('SIGINT') }, '/');
    const received = new EventLog(job);
    await until(() => received.text().includes('ready'), 'it is ready');
    for (const times of [1, 2, 3]) {
      job.kill('SIGINT');
      await until(() => received.text().split('caught').length === times + 1, 'it caught the signal');
    }
    job.kill('SIGKILL');
    await job.result;
  });

  it('SIGSTOP stops the job and SIGCONT lets it go on', async () => {
    const job = new BashJob(
      { command: 'echo ready; while [ ! -e /nowhere ]; do echo tick; sleep 0.02; done' },
      '/',
    );
    const received = new EventLog(job);
    await until(() => received.text().includes('tick'), 'it ticks');
    job.kill('SIGSTOP');
    const before = await unchangedFor(200, () => received.text().length);
    job.kill('SIGCONT');
    await until(() => received.text().length > before, 'it ticks again');
    job.kill('SIGKILL');
    await job.result;
  });
});
