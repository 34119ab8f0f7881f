import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BashJob, Jobs, type RunResult, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { nothingFor } from '../support/waits.mjs';

const ROUNDS = 150;
const root = temporaryDirectory();

/** The possible results of a command that exits with 3 while something ends it. */
function expectOneOfTwo({ status, exitCode, signal, stdout, error }: RunResult, stopped: string): void {
  if (exitCode === null && signal === null) {
    expect([status, stdout, error?.code]).toEqual(['aborted', '', 'ABORT_ERR']);
  } else if (status === 'exited') {
    expect({ exitCode, signal, stdout, error }).toEqual({
      exitCode: 3,
      signal: null,
      stdout: 'hi\n',
      error: null,
    });
  } else {
    expect(status).toBe(stopped);
    expect([exitCode, signal].filter((value) => value !== null)).toHaveLength(1);
  }
}

describe('an abort at the very moment of the exit', () => {
  it('gives one of the two, whole, in each of many rounds', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const controller = new AbortController();
      const promise = run('echo hi; exit 3', { signal: controller.signal, shell: '/bin/sh' });
      const timer = setTimeout(() => controller.abort(), (round % 30) / 5);
      expectOneOfTwo(await promise, 'aborted');
      clearTimeout(timer);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    }
  });

  it('from the last output is settled once', async () => {
    for (let round = 0; round < ROUNDS / 3; round++) {
      const controller = new AbortController();
      const job = new BashJob({ command: 'echo hi; exit 3' }, '/', false, { signal: controller.signal });
      let exits = 0;
      job.on('data', () => controller.abort());
      job.on('exit', () => exits++);
      expectOneOfTwo(await job.result, 'aborted');
      await new Promise(setImmediate);
      expect(exits).toBe(1);
    }
  });

  it('in the tick of the exit changes nothing', async () => {
    for (let round = 0; round < 20; round++) {
      const controller = new AbortController();
      const job = new Jobs().start('echo hi; exit 3', { signal: controller.signal });
      job.on('exit', () => controller.abort());
      const { status, exitCode, stdout } = await job.result;
      expect({ status, exitCode, stdout, now: job.status }).toEqual({
        status: 'exited',
        exitCode: 3,
        stdout: 'hi\n',
        now: 'exited',
      });
    }
  });
});

describe('a kill at the very moment of the exit', () => {
  it('gives one of the two, whole, in each of many rounds', async () => {
    const table = new Jobs({ maxRunning: 1, maxFinished: 5 });
    for (let round = 0; round < ROUNDS; round++) {
      const job = table.start('echo hi; exit 3', { shell: '/bin/sh' });
      const timer = setTimeout(() => job.kill(round % 2 ? 'SIGKILL' : 'SIGTERM'), (round % 30) / 5);
      expectOneOfTwo(await job.result, 'signaled');
      clearTimeout(timer);
      expect(job.kill()).toBe(false);
    }
    await table.dispose();
  });
});

describe('a timeout at the very moment of the exit', () => {
  it('gives one of the two, whole, in each of many rounds', async () => {
    const results = await Promise.all(
      Array.from({ length: ROUNDS }, (_, round) =>
        run('echo hi; exit 3', { timeout: 1 + (round % 60), shell: '/bin/sh' }),
      ),
    );
    for (const result of results) {
      // There was no process in time.
      if (result.pid === null) expect([result.status, result.error?.code]).toEqual(['timeout', 'ETIMEDOUT']);
      else expectOneOfTwo(result, 'timeout');
    }
  });
});

describe('a command that is reported as not started', () => {
  it.each([
    ['kill()', 'kill'],
    ['its timeout', 'timeout'],
  ])('because of %s has done nothing', async (_, way) => {
    const table = new Jobs({ maxRunning: 1, maxFinished: 5 });
    const wrong: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const file = join(root, `${way}-${round}`);
      const job = table.start(['touch', file], way === 'timeout' ? { timeout: 1 } : {});
      if (way === 'kill') {
        const end = performance.now() + (round % 40) / 20;
        while (performance.now() < end);
        job.kill('SIGKILL');
      }
      if ((await job.result).pid === null) {
        await nothingFor(4);
        if (existsSync(file)) wrong.push(file);
      }
    }
    await table.dispose();
    expect(wrong).toEqual([]);
  });
});
