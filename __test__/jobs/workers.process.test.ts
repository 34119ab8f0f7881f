import { describe, expect, it } from 'vitest';
import { askNode, INDEX, PROCESSES } from '../support/node.js';
import { tag } from '../support/tag.js';

/** A worker that runs this, behind the usual imports, and may say things by `say`. */
function worker(program: string): string {
  return `
    const { parentPort } = require('node:worker_threads');
    const { run, Jobs, jobs } = require(${JSON.stringify(INDEX)});
    const say = (what) => parentPort.postMessage(what);
    const { TAG } = process.env;
    (async () => {
      const { living, until } = await import(${JSON.stringify(PROCESSES)});
      ${program}
    })();
  `;
}

const START = `
  import { once } from 'node:events';
  import { Worker } from 'node:worker_threads';
  import { run, Jobs, jobs } from ${JSON.stringify(INDEX)};
  const start = (program) => new Worker(program, { eval: true, execArgv: [] });
  const messageFrom = async (worker) => (await once(worker, 'message'))[0];
`;

describe('the default table of a worker', () => {
  it('is its own', async () => {
    const report = await askNode<unknown>(
      `
        ${START}
        const own = jobs.start('exec sleep ' + TAG);
        const inside = start(${JSON.stringify(
          worker(
            "const job = jobs.start('exec sleep ' + TAG); say(jobs.list().map(({ command }) => command));",
          ),
        )});
        const list = await messageFrom(inside);
        const before = jobs.list().length;
        await inside.terminate();
        const status = own.status;
        await jobs.dispose();
        console.log(JSON.stringify({ count: list.length, before, status }));
      `,
      { tag: tag() },
    );
    expect(report).toEqual({ count: 1, before: 1, status: 'running' });
  });

  it('has its own limit', async () => {
    const report = await askNode<unknown>(
      `
        ${START}
        for (let count = 0; count < 15; count++) jobs.start('exec sleep ' + TAG);
        const inside = start(${JSON.stringify(worker("say((await jobs.start('echo hi').result).stdout);"))});
        const stdout = await messageFrom(inside);
        await jobs.dispose();
        console.log(JSON.stringify(stdout));
      `,
      { tag: tag() },
    );
    expect(report).toBe('hi\n');
  });
});

const WAYS: Array<[string, string]> = [
  ['a job', "jobs.start('(setsid sleep ' + TAG + ' <&- >&- 2>&- &); exec sleep ' + TAG);"],
  [
    'a command that run() has left to a table',
    "await run('(setsid sleep ' + TAG + ' <&- >&- 2>&- &); exec sleep ' + TAG, { onTimeout: 'background', timeout: 0 });",
  ],
  [
    'what was adopted',
    "await run('(setsid sleep ' + TAG + ' <&- >&- 2>&- &); sleep ' + TAG + ' & sleep 0.1', { background: 'adopt' });",
  ],
];

describe('a worker that ends takes with it', () => {
  it.each(
    WAYS.flatMap(([what, setup]) =>
      [
        ['by terminate()', '', 'await inside.terminate();'],
        ['by process.exit()', 'process.exit(0);', ''],
        ['by itself', 'for (const job of jobs.list()) job.unref();', ''],
      ].map(([how, end, afterwards]) => ({ what, how, setup, end, afterwards })),
    ),
  )('$what, when it ends $how', async ({ setup, end, afterwards }) => {
    const program = worker(`
      ${setup}
      await until(() => living('sleep\\0' + TAG).length === 2, 'both sleep');
      say('ready');
      ${end}
    `);
    const report = await askNode<unknown>(
      `
        ${START}
        const inside = start(${JSON.stringify(program)});
        const exit = once(inside, 'exit');
        await messageFrom(inside);
        ${afterwards}
        await exit;
        await until(() => living('sleep\\0' + TAG).length === 0, 'none is left');
        console.log(JSON.stringify((await run('echo works')).stdout));
      `,
      { tag: tag() },
    );
    expect(report).toBe('works\n');
  });

  it('not the jobs of the main thread, of another worker, or of a table with leave', async () => {
    const program = (setup: string) =>
      JSON.stringify(worker(`${setup} say('ready'); setInterval(() => {}, 1_000);`));
    const report = await askNode<unknown>(
      `
        ${START}
        const job = jobs.start('sleep ' + TAG + '; exit 3');
        const first = start(${program("jobs.start('exec sleep 60');")});
        const second = start(${program("jobs.start('exec sleep ' + TAG);")});
        const third = start(${program(
          "new Jobs({ onHostExit: 'leave' }).start('exec sleep ' + TAG); await until(() => living('sleep\\0' + TAG).length >= 1, 'it sleeps');",
        )});
        await Promise.all([messageFrom(first), messageFrom(second), messageFrom(third)]);
        await until(() => living('sleep\\0' + TAG).length === 3, 'all sleep');
        await first.terminate();
        await third.terminate();
        await run('sleep 0.3');
        const left = living('sleep\\0' + TAG).length;
        await second.terminate();
        await jobs.dispose();
        await until(() => living('sleep\\0' + TAG).length === 1, 'one is left');
        console.log(JSON.stringify({ left, status: job.status }));
      `,
      { tag: tag() },
    );
    expect(report).toEqual({ left: 3, status: 'signaled' });
  });
});

describe('a worker', () => {
  it('has a table with all that a main thread has', async () => {
    const report = await askNode<unknown>(`
      ${START}
      const inside = start(${JSON.stringify(
        worker(`
          await using table = new Jobs();
          const job = table.start('cat; exit 3', { stdin: 'pipe' });
          job.stdin.end('hi');
          const { finished } = await table.wait(job.id);
          say({ code: finished[0].exitCode, text: table.read(job.id).text });
        `).replace('await using table', 'const table'),
      )});
      console.log(JSON.stringify(await messageFrom(inside)));
    `);
    expect(report).toEqual({ code: 3, text: 'hi' });
  });
});
