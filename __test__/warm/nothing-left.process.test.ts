import { describe, expect, it } from 'vitest';
import { SETUP } from '../faults/program.js';
import { isAlive } from '../life/support.js';
import { askNode, INDEX, NodeProcess } from '../support/node.js';
import type { Resources } from '../support/processes.mjs';
import { until } from '../support/processes.mjs';

const START = `
  ${SETUP}
  import { prewarm } from ${JSON.stringify(INDEX)};
  const options = { cwd: '/', shell: '/bin/bash' };
  const shells = () => children().filter((name) => name === 'bash').length;
  const ahead = async (count) => {
    prewarm({ ...options, count });
    await until(() => shells() >= count, 'they wait');
  };
`;

describe('a Node that ends', () => {
  it.each([
    ['by itself', '', undefined],
    ['by process.exit()', 'process.exit(0);', undefined],
    ['by SIGTERM', 'setInterval(() => {}, 1_000);', 'SIGTERM'],
    ['by SIGKILL', 'setInterval(() => {}, 1_000);', 'SIGKILL'],
  ] as Array<[string, string, NodeJS.Signals | undefined]>)(
    '%s takes the shells that wait along',
    async (_, program, signal) => {
      const host = new NodeProcess(`
      ${START}
      import { readdirSync, readFileSync } from 'node:fs';
      await ahead(5);
      const pids = readdirSync('/proc/self/task')
        .flatMap((thread) => readFileSync('/proc/self/task/' + thread + '/children', 'utf8').split(' '));
      console.log('pids ' + pids.filter(Boolean).join(' ') + ' ready');
      ${program}
    `);
      await host.printed('ready');
      if (signal !== undefined) host.process.kill(signal);
      const { stdout } = await host.ended;
      const pids = (/pids ([\d ]+) ready/.exec(stdout)?.[1] ?? '').split(' ').map(Number);
      expect(pids.length).toBeGreaterThanOrEqual(5);
      await until(() => !pids.some(isAlive), 'none is left');
    },
  );
});

describe('a worker that ends', () => {
  it('takes its own along, and no others', async () => {
    const report = await askNode<{ before: Resources; after: Resources }>(`
      ${START}
      import { once } from 'node:events';
      import { Worker } from 'node:worker_threads';
      await ahead(2);
      const one = async (end) => {
        const program = 'const { prewarm, run } = require(' + JSON.stringify(${JSON.stringify(INDEX)}) + ');' +
          "prewarm({ cwd: '/tmp', shell: '/bin/bash', count: 6 });" + end;
        await once(new Worker(program, { eval: true, execArgv: [] }), 'exit');
      };
      const ends = ['', 'process.exit();', "run('true', { cwd: '/tmp', shell: '/bin/bash', warm: true });"];
      for (const end of ends) await one(end);
      const count = () => {
        const { children, descriptors } = resources();
        return { children, descriptors };
      };
      await until(() => children().sort().join() === 'bash,bash,guardian', 'theirs have ended');
      const before = count();
      for (let round = 0; round < 4; round++) for (const end of ends) await one(end);
      await until(() => JSON.stringify(count()) === JSON.stringify(before), 'the same').catch(() => {});
      console.log(JSON.stringify({ before, after: count() }));
    `);
    expect(report.after).toEqual(report.before);
  });
});

describe('after 300 warm commands', () => {
  it('there are as many descriptors, processes and threads', async () => {
    const report = await askNode<{ before: Resources; after: Resources }>(`
      ${START}
      await Promise.all(Array.from({ length: 20 }, () => run('true', options)));
      await ahead(16);
      const few = async (count) => {
        for (let round = 0; round < count; round++) {
          const one = (command) => run(command, { ...options, warm: true });
          await Promise.all([one('true'), one('nowhere'), one('exit 3')]);
        }
        // The maximum of waiting shells.
        await ahead(16);
      };
      await few(5);
      // A long queue starts another spawner.
      const count = () => ({ ...resources(), threads: threads().filter((name) => !name.startsWith('agent-bash-sp')) });
      await until(() => children().length === 17, 'nothing runs, and 16 wait');
      const before = count();
      await few(100);
      // The assertion is about the compared values: a scan of the addon may open a descriptor in between.
      let after;
      const same = () => JSON.stringify((after = count())) === JSON.stringify(before);
      await until(same, 'the counts are the same again').catch(() => {});
      console.log(JSON.stringify({ before, after }));
    `);
    expect(report.after).toEqual(report.before);
  });
});

describe('without a free descriptor', () => {
  it('a warm shell runs its command, or EMFILE is the answer', async () => {
    const report = await askNode<{ outcomes: string[]; later: string }>(`
      ${START}
      // Node keeps a descriptor from its own first child.
      execFileSync('true');
      await run('true', options);
      await ahead(3);
      limit('nofile', 90);
      const outcomes = new Set();
      for (let free = 0; free < 14; free++) {
        const restore = exhaust(free);
        const { error, stdout, exitCode } = await run('echo hi; exit 3', { ...options, warm: true });
        restore();
        outcomes.add(error?.code ?? stdout + exitCode);
      }
      const { stdout } = await run('echo later', { ...options, warm: true });
      console.log(JSON.stringify({ outcomes: [...outcomes].sort(), later: stdout }));
    `);
    expect(['EMFILE,hi\n3', 'hi\n3']).toContain(report.outcomes.join());
    expect(report.later).toBe('later\n');
  });
});

describe('another user', () => {
  it('has no shell of the one before', { tags: ['root'] }, async () => {
    const report = await askNode<string[]>(`
      ${START}
      await ahead(2);
      process.setgid(65534);
      process.setuid(65534);
      const { stdout } = await run('id -u; id -g', { ...options, warm: true });
      console.log(JSON.stringify(stdout.split('\\n')));
    `);
    expect(report).toEqual(['65534', '65534', '']);
  });
});
