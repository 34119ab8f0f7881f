import { describe, expect, it } from 'vitest';
import { BashJob } from '../../index.js';
import { EventLog } from '../support/event-log.js';
import { within } from '../support/slowness.mjs';

async function exitOf(job: BashJob) {
  const received = new EventLog(job);
  const result = await job.result;
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect(received.exits).toHaveLength(1);
  const [[code, signal, report] = []] = received.exits;
  expect(report).toBe(result);
  return { code, signal, status: result.status, error: result.error?.code };
}

describe('the exit event of a job arrives once and reports', () => {
  it.each([0, 1, 127, 255])('the exit code %i', async (code) => {
    expect(await exitOf(new BashJob({ command: `exit ${code}` }, '/'))).toEqual({
      code,
      signal: null,
      status: 'exited',
    });
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGUSR2'])('the signal %s', async (signal) => {
    expect(await exitOf(new BashJob({ command: `kill -${signal.slice(3)} $$` }, '/'))).toEqual({
      code: null,
      signal,
      status: 'signaled',
    });
  });

  it('that the directory is missing', async () => {
    expect(await exitOf(new BashJob({ command: 'true' }, '/nowhere'))).toEqual({
      code: null,
      signal: null,
      status: 'failed',
      error: 'ENOENT',
    });
  });

  it('that the directory is a file', async () => {
    expect(await exitOf(new BashJob({ command: 'true' }, '/dev/null'))).toEqual({
      code: null,
      signal: null,
      status: 'failed',
      error: 'ENOTDIR',
    });
  });

  it('that the command is missing', async () => {
    expect(await exitOf(new BashJob({}, '/'))).toEqual({
      code: null,
      signal: null,
      status: 'failed',
      error: 'MISSING_COMMAND',
    });
  });

  it('that safe mode does not allow the command', async () => {
    expect(await exitOf(new BashJob({ command: 'rm -r /nowhere' }, '/', true))).toEqual({
      code: null,
      signal: null,
      status: 'denied',
      error: 'DENIED',
    });
  });

  it('that safe mode can not read the command', async () => {
    expect(await exitOf(new BashJob({ command: 'ls "' }, '/', true))).toEqual({
      code: null,
      signal: null,
      status: 'failed',
      error: 'INVALID_SYNTAX',
    });
  });

  it('that the command holds a NUL', async () => {
    expect(await exitOf(new BashJob({ command: 'echo \0' }, '/'))).toEqual({
      code: null,
      signal: null,
      status: 'failed',
      error: 'ERR_INVALID_ARG_VALUE',
    });
  });

  it('the timeout', async () => {
    expect(await exitOf(new BashJob({ command: 'exec sleep 60' }, '/', false, { timeout: 100 }))).toEqual({
      code: null,
      signal: 'SIGTERM',
      status: 'timeout',
    });
  });

  it('the timeout of a command that exits by itself on SIGTERM', async () => {
    const command = "trap 'exit 7' TERM; while :; do sleep 0.05; done";
    expect(await exitOf(new BashJob({ command }, '/', false, { timeout: within(500) }))).toEqual({
      code: 7,
      signal: null,
      status: 'timeout',
    });
  });

  it('that its signal has fired', async () => {
    const controller = new AbortController();
    const job = new BashJob({ command: 'echo up; exec sleep 60' }, '/', false, { signal: controller.signal });
    job.once('data', () => controller.abort());
    expect(await exitOf(job)).toEqual({ code: null, signal: 'SIGTERM', status: 'aborted' });
  });
});
