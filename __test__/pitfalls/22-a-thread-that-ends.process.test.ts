import { describe, expect, it } from 'vitest';
import { askNode, INDEX } from '../support/node.js';

describe('a job keeps running', () => {
  it('when a worker that ran commands meanwhile has ended', async () => {
    const worker = `
      const { run } = require(${JSON.stringify(INDEX)});
      Promise.all(Array.from({ length: 10 }, () => run('true')));
    `;
    const report = await askNode<unknown>(`
      import { Jobs } from ${JSON.stringify(INDEX)};
      import { once } from 'node:events';
      import { Worker } from 'node:worker_threads';
      const job = new Jobs().start('echo 1; read line; echo "$line"; exit 5', { stdin: 'pipe' });
      await until(() => job.read().text === '1\\n', 'it runs');
      for (let count = 0; count < 3; count++) {
        await once(new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: [] }), 'exit');
      }
      job.end('2\\n');
      const { status, exitCode, stdout } = await job.result;
      console.log(JSON.stringify({ status, exitCode, stdout }));
    `);
    expect(report).toEqual({ status: 'exited', exitCode: 5, stdout: '1\n2\n' });
  });

  it('when a worker has started the engine and ended', async () => {
    const worker = `require(${JSON.stringify(INDEX)}).run('true');`;
    const report = await askNode<unknown>(`
      import { Jobs } from ${JSON.stringify(INDEX)};
      import { once } from 'node:events';
      import { Worker } from 'node:worker_threads';
      const work = () => once(new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: [] }), 'exit');
      await work();
      const job = new Jobs().start('echo 1; read line; echo "$line"', { stdin: 'pipe' });
      await until(() => job.read().text === '1\\n', 'it runs');
      await work();
      job.end('2\\n');
      const { status, signal, stdout } = await job.result;
      console.log(JSON.stringify({ status, signal, stdout }));
    `);
    expect(report).toEqual({ status: 'exited', signal: null, stdout: '1\n2\n' });
  });

  it('through bursts of other commands', async () => {
    const report = await askNode<unknown>(`
      import { Jobs, run } from ${JSON.stringify(INDEX)};
      const table = new Jobs();
      const jobs = Array.from({ length: 5 }, () => table.start('read line; echo "$line"', { stdin: 'pipe' }));
      for (let burst = 0; burst < 3; burst++) {
        await Promise.all(Array.from({ length: 40 }, () => run('true', { shell: '/bin/sh' })));
        await deliberateDelay(100);
      }
      for (const [index, job] of jobs.entries()) job.end(index + '\\n');
      console.log(JSON.stringify((await Promise.all(jobs.map((job) => job.result))).map(({ stdout }) => stdout)));
    `);
    expect(report).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n']);
  });
});
