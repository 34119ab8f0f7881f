import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';
import type { Resources } from '../support/processes.mjs';
import { SETUP } from './program.js';

const CATCH = `
  ${SETUP}
  let errors = 0;
  process.on('uncaughtException', () => { errors++ });
`;

describe('a listener that throws', () => {
  it('at data of a job in a table loses nothing', async () => {
    const report = await askNode<{ errors: number; calls: number }>(`
      ${CATCH}
      const job = new Jobs().start('seq 30000; echo end >&2; exit 3');
      let calls = 0;
      let received = 0;
      job.on('data', () => { calls++; throw new Error('data') });
      job.on('data', (text) => { received += text.length });
      let iterated = 0;
      for await (const { text } of job) iterated += text.length;
      const { exitCode, stdout, stderr } = await job.result;
      await new Promise(setImmediate);
      const read = job.read().text.length;
      print({ isEach: errors === calls, received, iterated, read, exitCode, stdout: stdout.length, stderr });
    `);
    const length = 168_894;
    expect(report).toEqual({
      isEach: true,
      received: length + 4,
      iterated: length + 4,
      read: length + 4,
      exitCode: 3,
      stdout: length,
      stderr: 'end\n',
    });
  });

  it('at exit does not keep waiters, tables and disposal from the result', async () => {
    const report = await askNode<unknown>(`
      ${CATCH}
      const table = new Jobs();
      const job = table.start('exit 4');
      job.on('exit', () => { throw new Error('exit') });
      const { status, finished } = await table.wait();
      const { exitCode } = await job.result;
      await new Promise(setImmediate);
      await table.dispose();
      print({ status, codes: finished.map((result) => result.exitCode), exitCode, errors, list: table.list() });
    `);
    expect(report).toEqual({ status: 'done', codes: [4], exitCode: 4, errors: 1, list: [] });
  });

  it('at the abort of a signal does not keep the command from its end', async () => {
    const report = await askNode<unknown>(`
      ${CATCH}
      const controller = new AbortController();
      controller.signal.addEventListener('abort', () => { throw new Error('abort') });
      const job = new Jobs().start('sleep 60', { signal: controller.signal });
      await until(() => job.pid, 'it runs');
      controller.abort();
      const { status, signal } = await job.result;
      await new Promise(setImmediate);
      print({ status, signal, errors });
    `);
    expect(report).toEqual({ status: 'aborted', signal: 'SIGTERM', errors: 1 });
  });

  it('at everything leaves nothing behind', async () => {
    const { before, after, exits } = await askNode<{ before: Resources; after: Resources; exits: number }>(`
      ${CATCH}
      await warmUp();
      const before = await calm();
      const table = new Jobs({ maxRunning: 50 });
      let exits = 0;
      await Promise.all(Array.from({ length: 40 }, () => {
        const job = table.start('seq 2000');
        for (const name of ['data', 'exit']) job.on(name, () => { throw new Error(name) });
        job.on('exit', () => { exits++ });
        return job.result;
      }));
      await new Promise(setImmediate);
      print({ before, after: await calm(), exits });
    `);
    expect(exits).toBe(40);
    expect(after).toEqual(before);
  });
});
