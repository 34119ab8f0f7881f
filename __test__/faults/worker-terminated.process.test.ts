import { describe, expect, it } from 'vitest';
import { askNode, INDEX, PROCESSES } from '../support/node.js';
import type { Resources } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { SETUP } from './program.js';

/** A worker that streams the output of 50 jobs of all kinds. */
const WORKER = `
  const { parentPort } = require('node:worker_threads');
  const { Jobs, run } = require(${JSON.stringify(INDEX)});
  (async () => {
    const { living, until } = await import(${JSON.stringify(PROCESSES)});
    const { TAG } = process.env;
    const table = new Jobs({ maxRunning: 50 });
    for (let index = 0; index < 50; index++) {
      const command = ['sleep $TAG & yes', 'setsid sleep $TAG & yes >&2'][index % 2].replaceAll('$TAG', TAG);
      const output = { spill: index % 5 === 0, merge: index % 3 === 0, stripAnsi: index % 7 === 0 };
      if (index % 10 === 0) {
        run(command, { output, onTimeout: 'background', timeout: 1, jobs: table });
        continue;
      }
      const job = table.start(command, { output, stdin: index % 4 === 0 ? 'pipe' : 'empty' });
      if (index % 4 === 0) job.write('x'.repeat(300_000));
      if (index % 2 === 0) job.on('data', () => {});
      else (async () => { for await (const chunk of job); })();
    }
    await until(() => living('sleep\\0' + TAG).length === 50, 'all sleep');
    parentPort.postMessage('ready');
  })();
`;

/** A worker that posts a message right after starting 50 jobs, while their processes are being spawned. */
const HASTY = `
  const { Jobs } = require(${JSON.stringify(INDEX)});
  const table = new Jobs({ maxRunning: 50 });
  const command = 'yes | cat & setsid sleep ' + process.env.TAG + ' & yes';
  for (let index = 0; index < 50; index++) table.start(command, { shell: ['/bin/bash', '-c'] }).on('data', () => {});
  require('node:worker_threads').parentPort.postMessage('ready');
`;

describe('worker.terminate() while 50 jobs are being started', () => {
  it('leaves no process', async () => {
    const report = await askNode<string>(
      `
        ${SETUP}
        import { Worker } from 'node:worker_threads';
        for (let round = 0; round < 5; round++) {
          const worker = new Worker(${JSON.stringify(HASTY)}, { eval: true, execArgv: [] });
          await new Promise((resolve, reject) => { worker.once('message', resolve); worker.once('error', reject) });
          await worker.terminate();
          await until(() => living(TAG).length === 0, 'none is left');
        }
        print((await run('echo works')).stdout);
      `,
      { tag: tag() },
    );
    expect(report).toBe('works\n');
  });
});

describe('worker.terminate() with 50 jobs that stream', () => {
  it('leaves no process, thread, descriptor or file', async () => {
    const report = await askNode<{ left: number; before: Resources; after: Resources; answer: string }>(
      `
        ${SETUP}
        import { Worker } from 'node:worker_threads';
        const use = async () => {
          const worker = new Worker(${JSON.stringify(WORKER)}, { eval: true, execArgv: [] });
          await new Promise((resolve, reject) => { worker.once('message', resolve); worker.once('error', reject) });
          await worker.terminate();
          await until(() => living('sleep\\0' + TAG).length === 0, 'none is left');
        };
        await warmUp();
        await run('true', { output: { spill: true } });
        // The first worker starts threads of Node's that stay.
        await use();
        const before = await calm();
        await use();
        const same = () => JSON.stringify(resources()) === JSON.stringify(before);
        await until(same, 'the counts are the same again').catch(() => {});
        print({ left: living(TAG).length, before, after: resources(), answer: (await run('echo works')).stdout });
      `,
      { tag: tag() },
    );
    expect(report.left).toBe(0);
    expect(report.after).toEqual(report.before);
    expect(report.answer).toBe('works\n');
  });
});
