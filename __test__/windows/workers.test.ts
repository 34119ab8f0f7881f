import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { FOREVER, INDEX, node, untilGone } from './support.ts';

/** Answers each message, which is a command, with its output. */
const ANSWERER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { run } = require(workerData);
  parentPort.on('message', async (command) => parentPort.postMessage((await run(command)).stdout));
`;

/** Starts a command that runs until something ends it, and tells the pid. */
const STARTER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { jobs } = require(workerData);
  const job = jobs.start([process.execPath, '-e', ${JSON.stringify(`console.log(process.pid); ${FOREVER}`)}]);
  job.on('data', (text) => parentPort.postMessage(Number(text)));
`;

const worker = (program: string) => new Worker(program, { eval: true, execArgv: [], workerData: INDEX });

describe('a worker on Windows', () => {
  it('runs commands next to others and to the main thread', async () => {
    const workers = Array.from({ length: 3 }, () => worker(ANSWERER));
    const answers = workers.map((one) => once(one, 'message'));
    for (const [index, one] of workers.entries()) one.postMessage(['cmd.exe', '/d', '/c', `echo ${index}`]);
    const { stdout } = await run(['cmd.exe', '/d', '/c', 'echo main']);
    expect(stdout).toBe('main\r\n');
    expect((await Promise.all(answers)).flat()).toEqual(['0\r\n', '1\r\n', '2\r\n']);
    await Promise.all(workers.map((one) => one.terminate()));
  });

  it('may be the only thread that has loaded the addon, and end before others', async () => {
    const program = `
      const { once } = require('node:events');
      const { Worker } = require('node:worker_threads');
      (async () => {
        for (let count = 0; count < 3; count++) {
          const one = new Worker(process.env.ANSWERER, { eval: true, workerData: process.env.INDEX });
          one.postMessage(['cmd.exe', '/d', '/c', 'echo ' + count]);
          console.log((await once(one, 'message'))[0].trim());
          await one.terminate();
        }
      })();`;
    const { stdout, exitCode } = await run(node(program), { env: { ANSWERER, INDEX } });
    expect([stdout, exitCode]).toEqual(['0\n1\n2\n', 0]);
  });

  it('takes its commands along at its end', async () => {
    const one = worker(STARTER);
    const [pid] = await once(one, 'message');
    await one.terminate();
    await untilGone(pid);
  });

  it('is one of those in which vitest runs tests', async () => {
    const vitest = `${process.cwd()}/node_modules/vitest/vitest.mjs`;
    const words = [
      'run',
      '--pool=threads',
      '--config',
      '__test__/windows/vitest.config.mjs',
      '-t',
      'exits with',
    ];
    const { exitCode, output } = await run(
      [process.execPath, vitest, ...words, '__test__/windows/run.test.ts'],
      {
        // The tests alone need the variable of the addon: vitest's own addon would heed it too.
        env: { NO_COLOR: '1', NAPI_RS_NATIVE_LIBRARY_PATH: undefined },
      },
    );
    expect(exitCode, output).toBe(0);
    expect(output).toContain('6 passed');
  });
});
