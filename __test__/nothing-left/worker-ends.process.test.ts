import { describe, expect, it } from 'vitest';
import { askNode, INDEX, NodeProcess, PROCESSES } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

/** A worker that has 50 jobs, says `ready` when all run, and ends in this way. */
function workerThat(end: string): string {
  return `
    const { parentPort } = require('node:worker_threads');
    const { BashJob } = require(${JSON.stringify(INDEX)});
    (async () => {
      const { living, until } = await import(${JSON.stringify(PROCESSES)});
      const { TAG } = process.env;
      const jobs = Array.from({ length: 50 }, (_, index) => {
        const command = ['sleep $TAG & yes $TAG', 'setsid sleep $TAG & yes $TAG'][index % 2];
        const job = new BashJob({ command: command.replaceAll('$TAG', TAG) }, '/', false, { timeout: 0 });
        job.on('data', () => {});
        return job;
      });
      await until(() => living('sleep\\0' + TAG).length === 50, 'all sleep');
      parentPort.postMessage('ready');
      ${end}
    })();
  `;
}

/** The main thread: what is left of the worker's jobs while it lives on, and whether it still works. */
function mainWith(worker: string, afterwards: string): string {
  return `
    import { Worker } from 'node:worker_threads';
    await bash({ command: 'true' }, root);
    const worker = new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: [] });
    const exit = new Promise((resolve) => worker.once('exit', resolve));
    const errors = [];
    worker.on('error', (error) => errors.push(error.message));
    await new Promise((resolve) => worker.once('message', resolve));
    ${afterwards}
    const code = await exit;
    await until(() => living(TAG).length === 0, 'none is left');
    const answer = await bash({ command: 'echo works' }, root);
    console.log(JSON.stringify({ code, errors, answer }));
  `;
}

interface Report {
  code: number;
  errors: string[];
  answer: string;
}

describe('a worker with 50 jobs that stream leaves nothing and its host works on', () => {
  it.each([
    ['when it is terminated', '', 'await worker.terminate();', 1, []],
    ['when it ends by itself', 'for (const job of jobs) job.unref();', '', 0, []],
    ['when it calls process.exit()', 'process.exit(5);', '', 5, []],
    [
      'when it has an uncaught error',
      "setImmediate(() => { throw new Error('uncaught') });",
      '',
      1,
      ['uncaught'],
    ],
  ])('%s', async (_, end, afterwards, code, errors) => {
    const report = await askNode<Report>(mainWith(workerThat(end), afterwards), { tag: tag() });
    expect(report).toEqual({ code, errors, answer: 'works\n\n[Exit code: 0]' });
  });

  it('when the whole process is killed', async () => {
    const seconds = tag();
    const host = new NodeProcess(mainWith(workerThat(''), "console.log('ready');"), { tag: seconds });
    await host.printed('ready');
    host.process.kill('SIGKILL');
    await host.ended;
    await until(() => living(seconds).length === 0, 'none is left');
  });
});

describe('a worker that is terminated', () => {
  it('right after it has started jobs leaves nothing', async () => {
    const worker = `
      const { parentPort } = require('node:worker_threads');
      const { BashJob } = require(${JSON.stringify(INDEX)});
      for (let count = 0; count < 20; count++) {
        new BashJob({ command: 'exec sleep ' + process.env.TAG }, '/', false, { timeout: 0 });
      }
      queueMicrotask(() => parentPort.postMessage('started'));
    `;
    const answer = await askNode<string>(
      `
        import { Worker } from 'node:worker_threads';
        for (let count = 0; count < 10; count++) {
          const worker = new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: [] });
          await new Promise((resolve) => worker.once('message', resolve));
          await worker.terminate();
        }
        await until(() => living(TAG).length === 0, 'none is left');
        console.log(JSON.stringify(await bash({ command: 'echo works' }, root)));
      `,
      { tag: tag() },
    );
    expect(answer).toBe('works\n\n[Exit code: 0]');
  });

  it('takes nothing from the jobs of the main thread', async () => {
    const answer = await askNode<string>(
      `
        import { Worker } from 'node:worker_threads';
        const job = new BashJob({ command: 'echo 1; sleep 1; echo 2' }, root);
        const worker = new Worker(${JSON.stringify(workerThat(''))}, { eval: true, execArgv: [] });
        await new Promise((resolve) => worker.once('message', resolve));
        await worker.terminate();
        console.log(JSON.stringify((await job.result).output));
      `,
      { tag: tag() },
    );
    expect(answer).toBe('1\n2\n\n[Exit code: 0]');
  });
});
