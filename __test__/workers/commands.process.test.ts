import { describe, expect, it } from 'vitest';
import { askNode, INDEX } from '../support/node.js';

/** A worker that answers to each message with a command's output; a number asks a job for that many lines. */
const WORKER = `
  const { parentPort } = require('node:worker_threads');
  const { bash, BashJob } = require(${JSON.stringify(INDEX)});
  parentPort.on('message', async (message) => {
    if (message === null) return parentPort.close();
    if (typeof message === 'string') return parentPort.postMessage(await bash({ command: message }, '/'));
    let text = '';
    for await (const chunk of new BashJob({ command: 'seq ' + message }, '/')) text += chunk.text;
    parentPort.postMessage(text.split('\\n').length - 1);
  });
`;

const START = `
  import { once } from 'node:events';
  import { Worker } from 'node:worker_threads';
  const start = (options = {}) => new Worker(${JSON.stringify(WORKER)}, { eval: true, execArgv: [], ...options });
  const ask = async (worker, message) => {
    worker.postMessage(message);
    return (await once(worker, 'message'))[0];
  };
  const end = (worker) => {
    worker.postMessage(null);
    return once(worker, 'exit');
  };
`;

describe('a worker', () => {
  it('runs commands by bash()', async () => {
    const answer = await askNode<string>(`
      ${START}
      const worker = start();
      console.log(JSON.stringify(await ask(worker, 'echo hi')));
      await end(worker);
    `);
    expect(answer).toBe('hi\n\n[Exit code: 0]');
  });

  it('streams jobs', async () => {
    const lines = await askNode<number>(`
      ${START}
      const worker = start();
      console.log(JSON.stringify(await ask(worker, 200_000)));
      await end(worker);
    `);
    expect(lines).toBe(200_000);
  });

  it('works next to others and to the main thread', async () => {
    const { lines, answers, own } = await askNode<{ lines: number[]; answers: string[]; own: string }>(`
      ${START}
      const workers = Array.from({ length: 4 }, () => start());
      const own = bash({ command: 'sleep 0.2; echo own' }, root);
      const lines = await Promise.all(workers.map((worker, index) => ask(worker, 50_000 + index)));
      const answers = await Promise.all(workers.map((worker, index) => ask(worker, 'echo ' + index)));
      await Promise.all(workers.map(end));
      console.log(JSON.stringify({ lines, answers, own: await own }));
    `);
    expect({ lines, answers, own }).toEqual({
      lines: [50_000, 50_001, 50_002, 50_003],
      answers: [0, 1, 2, 3].map((index) => `${index}\n\n[Exit code: 0]`),
      own: 'own\n\n[Exit code: 0]',
    });
  });

  it('ends by itself when its last command is over', async () => {
    const report = await askNode<[string, number]>(`
      import { once } from 'node:events';
      import { Worker } from 'node:worker_threads';
      const worker = new Worker(
        "const { parentPort } = require('node:worker_threads');" +
          "const { bash } = require(${JSON.stringify(INDEX).replaceAll('"', '\\"')});" +
          "bash({ command: 'sleep 0.3; echo hi' }, '/').then((answer) => parentPort.postMessage(answer));",
        { eval: true, execArgv: [] },
      );
      const answer = once(worker, 'message');
      const [code] = await once(worker, 'exit');
      console.log(JSON.stringify([(await answer)[0], code]));
    `);
    expect(report).toEqual(['hi\n\n[Exit code: 0]', 0]);
  });

  it('that is the first to run a command may end before the others', async () => {
    const answer = await askNode<string>(`
      ${START}
      const worker = start();
      await ask(worker, 'true');
      await end(worker);
      console.log(JSON.stringify(await bash({ command: 'echo hi' }, root)));
    `);
    expect(answer).toBe('hi\n\n[Exit code: 0]');
  });
});

describe('the environment of a worker', () => {
  it('reaches its commands, and not those of the main thread', async () => {
    const report = await askNode<string[]>(`
      ${START}
      process.env.OF_MAIN = 'main';
      const worker = new Worker(
        "process.env.OF_WORKER = 'worker'; delete process.env.OF_MAIN;" + ${JSON.stringify(WORKER)},
        { eval: true, execArgv: [] },
      );
      const command = 'echo $OF_MAIN-$OF_WORKER';
      const inside = await ask(worker, command);
      const outside = await bash({ command }, root);
      await end(worker);
      console.log(JSON.stringify([inside, outside]));
    `);
    expect(report).toEqual(['-worker\n\n[Exit code: 0]', 'main-\n\n[Exit code: 0]']);
  });

  it('is the one that it was started with', async () => {
    const report = await askNode<string>(`
      ${START}
      const worker = start({ env: { PATH: process.env.PATH, ONLY: 'this' } });
      console.log(JSON.stringify(await ask(worker, 'echo $ONLY-$HOME-')));
      await end(worker);
    `);
    expect(report).toMatch(/^this-.*-\n\n\[Exit code: 0\]$/);
  });
});

describe('20 workers in a row', () => {
  it('leave no descriptor, thread or process', async () => {
    const { before, after } = await askNode<{ before: unknown; after: unknown }>(`
      ${START}
      const one = async () => {
        const worker = start();
        await ask(worker, 10_000);
        await ask(worker, 'echo hi');
        await end(worker);
      };
      // The first ones start the engine, and what Node itself keeps.
      for (let count = 0; count < 3; count++) await one();
      const count = () => {
        const { children, descriptors, threads } = resources();
        // Both spawners may or may not have been needed yet.
        return JSON.stringify([children, descriptors, threads.filter((name) => !name.startsWith('agent-bash-sp'))]);
      };
      await until(isCalm, 'the engine is calm');
      const before = count();
      for (let count = 0; count < 20; count++) await one();
      await until(() => count() === before, 'the counts are the same again').catch(() => {});
      console.log(JSON.stringify({ before: JSON.parse(before), after: JSON.parse(count()) }));
    `);
    expect(after).toEqual(before);
  });
});
