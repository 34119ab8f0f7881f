import { getEventListeners } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Job, Jobs, type RunOptions, type RunResult, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { living, until } from '../support/processes.mjs';
import { INSTALLED } from '../support/shells.js';
import { tag } from '../support/tag.js';
import { endOf, hardToEnd, STUBBORN, sleepers } from './support.js';

const directory = temporaryDirectory();

/** Runs a command that is too slow, and gives the answer and the job that it has become. */
async function moved(
  table: Jobs,
  command: string,
  options: RunOptions = {},
): Promise<{ answer: RunResult; job: Job }> {
  const answer = await run(command, { timeout: 400, ...options, onTimeout: 'background', jobs: table });
  const job = table.get(answer.jobId ?? '');
  if (job === undefined) throw new Error(`no job: ${JSON.stringify(answer)}`);
  return { answer, job };
}

/** Shell code that goes on when the file is there. */
function untilThereIs(file: string): string {
  return `until [ -e ${file} ]; do sleep 0.02; done`;
}

describe('a command that goes to the background at its timeout', () => {
  it('answers with what there is so far', async () => {
    await using table = new Jobs();
    const { answer, job } = await moved(table, 'echo out; echo err >&2; exec sleep 60');
    expect(endOf(answer)).toEqual({ status: 'background', exitCode: null, signal: null, error: null });
    expect(answer).toMatchObject({
      command: 'echo out; echo err >&2; exec sleep 60',
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: false,
      totalBytes: { stdout: 4, stderr: 4 },
      pid: job.pid,
      processGroup: job.pid,
      backgroundPids: [],
      jobId: job.id,
      usage: null,
    });
    expect(answer.durationMs).toBeGreaterThanOrEqual(400);
    expect({ status: job.status, isBackground: job.isBackground, list: table.list() }).toEqual({
      status: 'running',
      isBackground: true,
      list: [job],
    });
  });

  it('answers with its children', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const { answer } = await moved(
      table,
      `sleep ${seconds} & setsid sleep ${seconds} & (setsid sleep ${seconds} >/dev/null 2>&1 &) ; wait; echo`,
      { timeout: 1_000 },
    );
    expect(answer.backgroundPids.toSorted((a, b) => a - b)).toEqual(sleepers(seconds));
    expect(answer.backgroundPids).toHaveLength(3);
  });

  it.each(['/bin/sh', ...INSTALLED])('answers without the children that %s waits for', async (shell) => {
    await using table = new Jobs();
    const seconds = tag();
    const command = `sleep ${seconds} & (sleep ${seconds}; echo); echo`;
    const { answer } = await moved(table, command, { timeout: 1_000, shell });
    expect(sleepers(seconds)).toHaveLength(2);
    expect(answer.backgroundPids).toHaveLength(1);
    expect(sleepers(seconds)).toEqual(expect.arrayContaining(answer.backgroundPids));
  });

  it('runs on, and its result has everything from the start', async () => {
    await using table = new Jobs();
    const file = join(directory, 'go-on');
    const { answer, job } = await moved(table, `echo 1; ${untilThereIs(file)}; echo 2; echo 3 >&2; exit 6`);
    expect(answer.stdout).toBe('1\n');
    writeFileSync(file, '');
    const result = await job.result;
    expect(endOf(result)).toEqual({ status: 'exited', exitCode: 6, signal: null, error: null });
    expect(result).toMatchObject({
      stdout: '1\n2\n',
      stderr: '3\n',
      jobId: job.id,
      pid: answer.pid,
      totalBytes: { stdout: 4, stderr: 2 },
      backgroundPids: [],
    });
    expect(result.durationMs).toBeGreaterThan(answer.durationMs);
    expect(job.status).toBe('exited');
  });

  it.concurrent('has its output readable by cursor from the start on', async () => {
    await using table = new Jobs();
    const file = join(directory, 'read-on');
    const { job } = await moved(table, `echo 1; ${untilThereIs(file)}; echo 2`);
    const first = table.read(job.id);
    expect(first).toEqual({
      text: '1\n',
      chunks: [{ stream: 'stdout', text: '1\n' }],
      cursor: 2,
      dropped: 0,
    });
    expect(table.read(job.id, first.cursor)).toEqual({ text: '', chunks: [], cursor: 2, dropped: 0 });
    writeFileSync(file, '');
    await job.result;
    expect(table.read(job.id, first.cursor).text).toBe('2\n');
    expect(table.read(job.id).text).toBe('1\n2\n');
  });

  it.concurrent('is read on from where its answer ends', async () => {
    await using table = new Jobs();
    const file = join(directory, 'read-from-the-answer');
    const { answer, job } = await moved(table, `echo 1; echo é >&2; ${untilThereIs(file)}; echo 2`);
    expect({ output: answer.output, cursor: answer.cursor }).toEqual({ output: '1\né\n', cursor: 5 });
    writeFileSync(file, '');
    const result = await job.result;
    expect({ text: job.read(answer.cursor ?? 0).text, cursor: result.cursor }).toEqual({
      text: '2\n',
      cursor: 7,
    });
  });

  it.concurrent('has no cursor in a table that keeps nothing to read', async () => {
    await using table = new Jobs({ readBytes: 0 });
    const { answer } = await moved(table, 'echo 1; exec sleep 60');
    expect(answer.cursor).toBe(null);
  });

  it.concurrent('that ends in time has nothing to read, and no cursor', async () => {
    await using table = new Jobs();
    const { cursor } = await run('echo 1', { onTimeout: 'background', timeout: 60_000, jobs: table });
    expect(cursor).toBe(null);
  });

  it.concurrent('is not among its own background processes', async () => {
    await using table = new Jobs();
    for (const command of ['exec sleep 60', 'sleep 60; echo', 'sleep 60 & wait']) {
      const { answer } = await moved(table, command);
      expect(answer.backgroundPids).not.toContain(answer.pid);
    }
  });

  it.concurrent('passes later output to listeners and readers', async () => {
    await using table = new Jobs();
    const file = join(directory, 'hear-on');
    const { job } = await moved(table, `echo 1; ${untilThereIs(file)}; echo 2; echo 3 >&2; exit 4`);
    let received = '';
    job.on('data', (text, stream) => {
      received += `${stream} ${text}`;
    });
    const exit = new Promise((resolve) => {
      job.on('exit', (...end) => resolve(end));
    });
    const read = (async () => {
      let text = '';
      for await (const chunk of job) text += chunk.text;
      return text;
    })();
    writeFileSync(file, '');
    expect(await exit).toEqual([4, null, await job.result]);
    expect(received.split('\n').filter(Boolean).sort()).toEqual(['stderr 3', 'stdout 2']);
    expect((await read).split('\n').filter(Boolean).sort()).toEqual(['2', '3']);
  });

  it.concurrent('is no longer reached by its signal', async () => {
    await using table = new Jobs();
    const controller = new AbortController();
    const { job } = await moved(table, 'exec sleep 60', { signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    controller.abort();
    expect((await table.wait(job.id, { timeout: 200 })).status).toBe('timeout');
    expect(job.status).toBe('running');
  });

  it.concurrent('is aborted by a signal before that', async () => {
    await using table = new Jobs();
    const result = await run('exec sleep 60', {
      onTimeout: 'background',
      timeout: 60_000,
      signal: AbortSignal.timeout(200),
      jobs: table,
    });
    expect({ status: result.status, jobId: result.jobId, list: table.list() }).toEqual({
      status: 'aborted',
      jobId: null,
      list: [],
    });
  });

  it('can be killed', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const { command } = hardToEnd(seconds);
    const { job } = await moved(table, `${command}\nexec sleep ${seconds}`, { forceKillAfterDelay: 200 });
    expect(job.kill()).toBe(true);
    const result = await job.result;
    const left = sleepers(seconds);
    expect({ end: endOf(result), left, reported: result.backgroundPids }).toEqual({
      end: { status: 'signaled', exitCode: null, signal: 'SIGTERM', error: null },
      left: [],
      reported: [],
    });
  });

  it.concurrent('keeps its forceKillAfterDelay and its killSignal', async () => {
    await using table = new Jobs();
    const { job } = await moved(table, STUBBORN, { forceKillAfterDelay: 200, killSignal: 'SIGINT' });
    job.kill();
    expect((await job.result).signal).toBe('SIGKILL');
  });

  it.concurrent('without a backgroundTimeout has no further limit', async () => {
    await using table = new Jobs();
    const { job } = await moved(table, 'sleep 0.8; exit 3', { timeout: 200 });
    expect((await job.result).exitCode).toBe(3);
  });

  it('is ended by its backgroundTimeout, counted from the move', async () => {
    await using table = new Jobs();
    const { answer, job } = await moved(table, 'echo hi; exec sleep 60', { backgroundTimeout: 300 });
    expect(answer.status).toBe('background');
    const result = await job.result;
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGTERM', error: null });
    expect({ stdout: result.stdout, status: job.status }).toEqual({ stdout: 'hi\n', status: 'timeout' });
    expect(result.durationMs).toBeGreaterThanOrEqual(700);
  });

  it.concurrent('runs to its end within its backgroundTimeout', async () => {
    await using table = new Jobs();
    const { job } = await moved(table, 'sleep 0.6; exit 5', { timeout: 200, backgroundTimeout: 60_000 });
    expect(endOf(await job.result)).toEqual({ status: 'exited', exitCode: 5, signal: null, error: null });
  });

  it('reports the processes that it leaves running at its end', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const { job } = await moved(table, `sleep ${seconds} >/dev/null 2>&1 & sleep 0.6; exit 2`, {
      timeout: 200,
    });
    const result = await job.result;
    expect({ exitCode: result.exitCode, left: result.backgroundPids }).toEqual({
      exitCode: 2,
      left: sleepers(seconds),
    });
    expect(result.backgroundPids).toHaveLength(1);
  });

  it('kills at its end what it leaves running, with background kill', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const { job } = await moved(table, `sleep ${seconds} >/dev/null 2>&1 & sleep 0.6; exit 2`, {
      timeout: 200,
      background: 'kill',
    });
    const { exitCode, backgroundPids } = await job.result;
    expect({ exitCode, backgroundPids, left: sleepers(seconds) }).toEqual({
      exitCode: 2,
      backgroundPids: [],
      left: [],
    });
  });

  it('becomes the job of what it leaves running, with background adopt', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const command = `sleep ${seconds} >/dev/null 2>&1 & sleep 0.6; exit 2`;
    const { job } = await moved(table, command, { timeout: 200, background: 'adopt' });
    const pid = job.pid ?? 0;
    await until(() => !living('0.6').includes(pid) && sleepers(seconds).length === 1, 'the child is left');
    expect((await table.wait(job.id, { timeout: 700 })).status).toBe('timeout');
    for (const left of sleepers(seconds)) process.kill(left, 'SIGKILL');
    const result = await job.result;
    expect(endOf(result)).toEqual({ status: 'exited', exitCode: 2, signal: null, error: null });
    expect({ id: result.jobId, count: table.list().length, reported: result.backgroundPids }).toEqual({
      id: job.id,
      count: 1,
      reported: [],
    });
  });

  it.concurrent('is an answer that reject does not refuse', async () => {
    await using table = new Jobs();
    const { answer } = await moved(table, 'exec sleep 60', { reject: true, timeout: 100 });
    expect(answer.status).toBe('background');
  });

  it.concurrent('that ends in time is an answer like any other', async () => {
    await using table = new Jobs();
    const result = await run('echo hi; exit 3', { onTimeout: 'background', timeout: 60_000, jobs: table });
    expect(result).toMatchObject({ status: 'exited', exitCode: 3, stdout: 'hi\n', jobId: null });
    expect(table.list()).toEqual([]);
  });

  it.concurrent('goes to the default table when no other is given', async () => {
    const { jobs } = await import('../../index.js');
    const { jobId } = await run('exec sleep 60', { onTimeout: 'background', timeout: 100 });
    const job = jobs.get(jobId ?? '');
    expect(job?.status).toBe('running');
    job?.kill();
    expect((await job?.result)?.status).toBe('signaled');
  });

  it('while its output is waited for after its exit, answers likewise', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const { answer, job } = await moved(table, `sleep ${seconds} & echo now; exit 5`, { drain: 'end' });
    expect({ status: answer.status, stdout: answer.stdout, jobId: answer.jobId }).toEqual({
      status: 'background',
      stdout: 'now\n',
      jobId: job.id,
    });
    expect(answer.backgroundPids).toEqual(sleepers(seconds));
  });
});

describe('a command that goes to the background at once', () => {
  it.concurrent('answers with its job', async () => {
    await using table = new Jobs();
    const { answer, job } = await moved(table, 'echo hi; exit 3', { timeout: 0 });
    expect(endOf(answer)).toEqual({ status: 'background', exitCode: null, signal: null, error: null });
    const result = await job.result;
    expect(endOf(result)).toEqual({ status: 'exited', exitCode: 3, signal: null, error: null });
    expect({ stdout: result.stdout, text: job.read().text, jobId: result.jobId }).toEqual({
      stdout: 'hi\n',
      text: 'hi\n',
      jobId: job.id,
    });
  });

  it('can be killed at once', async () => {
    await using table = new Jobs();
    const seconds = tag();
    for (let round = 0; round < 10; round++) {
      const { job } = await moved(table, `exec sleep ${seconds}`, { timeout: 0 });
      job.kill();
      const { status } = await job.result;
      expect(['aborted', 'signaled']).toContain(status);
    }
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('has its backgroundTimeout', async () => {
    await using table = new Jobs();
    const { job } = await moved(table, 'exec sleep 60', { timeout: 0, backgroundTimeout: 300 });
    const result = await job.result;
    expect(endOf(result)).toEqual({ status: 'timeout', exitCode: null, signal: 'SIGTERM', error: null });
    expect(result.durationMs).toBeGreaterThanOrEqual(300);
  });

  it.concurrent('and can not be started has the reason in its result', async () => {
    await using table = new Jobs();
    const options = { onTimeout: 'background', timeout: 0, cwd: '/nowhere', jobs: table } as const;
    const answer = await run('true', options);
    const result = answer.jobId === null ? answer : await table.get(answer.jobId)?.result;
    expect({ status: result?.status, code: result?.error?.code }).toEqual({
      status: 'failed',
      code: 'CWD_MISSING',
    });
  });

  it('answers before its end, however short the command is', async () => {
    await using table = new Jobs({ maxRunning: 100 });
    // Many at once, so that ends are seen late.
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => run(['true'], { onTimeout: 'background', timeout: 0, jobs: table })),
    );
    expect(answers.filter(({ status }) => status !== 'background')).toEqual([]);
  });

  it.concurrent('is one of many', async () => {
    await using table = new Jobs({ maxRunning: 40 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        run(`exit ${index}`, { onTimeout: 'background', timeout: 0, jobs: table }),
      ),
    );
    const { finished, pending } = await table.wait(answers.map(({ jobId }) => jobId ?? ''));
    expect(pending).toEqual([]);
    expect(finished.map(({ exitCode }) => exitCode)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });
});

describe('a table that takes no more', () => {
  it('ends the command, and the answer says why', async () => {
    await using table = new Jobs({ maxRunning: 1 });
    table.start('exec sleep 60');
    const seconds = tag();
    const result = await run(`echo hi; exec sleep ${seconds}`, {
      onTimeout: 'background',
      timeout: 400,
      jobs: table,
    });
    expect({
      error: result.error,
      stdout: result.stdout,
      jobId: result.jobId,
      signal: result.signal,
    }).toEqual({
      error: {
        code: 'JOB_LIMIT',
        message: 'Background job limit reached (1). Wait for running jobs to finish or kill one.',
      },
      stdout: 'hi\n',
      jobId: null,
      signal: 'SIGTERM',
    });
    expect({ left: sleepers(seconds), jobs: table.list().length }).toEqual({ left: [], jobs: 1 });
  });

  it.concurrent('rejects with reject', async () => {
    await using table = new Jobs({ maxRunning: 1 });
    table.start('exec sleep 60');
    const promise = run('exec sleep 60', {
      onTimeout: 'background',
      timeout: 100,
      jobs: table,
      reject: true,
    });
    await expect(promise).rejects.toMatchObject({ name: 'CommandError', code: 'JOB_LIMIT' });
  });

  it.concurrent('because it is disposed of gives an error that says so', async () => {
    const table = new Jobs();
    await table.dispose();
    const result = await run('exec sleep 60', { onTimeout: 'background', timeout: 100, jobs: table });
    expect({ code: result.error?.code, signal: result.signal, jobId: result.jobId }).toEqual({
      code: 'JOBS_DISPOSED',
      signal: 'SIGTERM',
      jobId: null,
    });
  });

  it.concurrent('does not affect a command that ends in time', async () => {
    await using table = new Jobs({ maxRunning: 1 });
    table.start('exec sleep 60');
    const file = join(directory, 'in-time');
    const { exitCode, error } = await run(`touch ${file}`, {
      onTimeout: 'background',
      timeout: 60_000,
      jobs: table,
    });
    expect({ exitCode, error, isThere: existsSync(file) }).toEqual({
      exitCode: 0,
      error: null,
      isThere: true,
    });
  });

  it.concurrent('takes a command again when another has ended', async () => {
    await using table = new Jobs({ maxRunning: 1 });
    const first = table.start('exec sleep 60');
    first.kill();
    await first.result;
    const { answer } = await moved(table, 'exec sleep 60', { timeout: 100 });
    expect(answer.status).toBe('background');
  });
});
