import { describe, expect, it } from 'vitest';
import { askNode, INDEX } from '../support/node.js';

describe('a job that a worker has left, with a listener', () => {
  it('writes on to its end when the worker has ended', async () => {
    const worker = `
      const { Jobs } = require(${JSON.stringify(INDEX)});
      const { parentPort } = require('node:worker_threads');
      const command = 'for i in $(seq 40); do head -c 32768 /dev/zero; sleep 0.02; done';
      const job = new Jobs({ onHostExit: 'leave' }).start(command, { shell: '/bin/sh' });
      job.once('data', () => {
        parentPort.postMessage(job.pid);
        process.exit();
      });
    `;
    const report = await askNode<unknown>(`
      import { existsSync } from 'node:fs';
      import { once } from 'node:events';
      import { Worker } from 'node:worker_threads';
      const worker = new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: [] });
      const [pid] = await once(worker, 'message');
      await until(() => !existsSync('/proc/' + pid), 'it has ended');
      console.log('"ended"');
    `);
    expect(report).toBe('ended');
  });
});
