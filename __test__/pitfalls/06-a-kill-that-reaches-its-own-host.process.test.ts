import { describe, expect, it } from 'vitest';
import { askNode, INDEX } from '../support/node.js';
import { tag } from '../support/tag.js';

const SETUP = `
  import { Jobs, run } from ${JSON.stringify(INDEX)};
  const received = [];
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2']) process.on(name, () => received.push(name));
`;

describe('a kill', () => {
  it('reaches neither the host nor a process beside the job', async () => {
    const report = await askNode<unknown>(
      `
        ${SETUP}
        import { spawn } from 'node:child_process';
        const beside = spawn('sleep', [TAG]);
        const table = new Jobs();
        for (const signal of ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP']) {
          const job = table.start('sleep 60; true', { killSignal: signal });
          await until(() => job.pid, 'it runs');
          job.kill();
          await job.result;
        }
        await run('sleep 60', { timeout: 50 });
        // Node delivers pending signals in the next turns of the event loop.
        await nothingFor(50);
        const isAlive = beside.exitCode === null && beside.signalCode === null;
        beside.kill('SIGKILL');
        console.log(JSON.stringify({ received, isAlive }));
      `,
      { tag: tag() },
    );
    expect(report).toEqual({ received: [], isAlive: true });
  });

  it('by the command of its own group does not reach the host', async () => {
    const report = await askNode<unknown>(`
      ${SETUP}
      const { status, signal } = await run("trap '' HUP; kill -TERM 0; sleep 60");
      await nothingFor(50);
      console.log(JSON.stringify({ status, signal, received }));
    `);
    expect(report).toEqual({ status: 'signaled', signal: 'SIGTERM', received: [] });
  });

  it('of a finished job signals no process', async () => {
    const report = await askNode<unknown>(`
      ${SETUP}
      const table = new Jobs({ maxRunning: 100 });
      const over = table.start('true');
      await over.result;
      const answers = ['SIGTERM', 'SIGKILL', 0].map((signal) => over.kill(signal));
      console.log(JSON.stringify({ answers, byId: table.kill(over.id), received }));
    `);
    expect(report).toEqual({ answers: [false, false, false], byId: false, received: [] });
  });

  it('leaves a command in a group and a session of its own', async () => {
    const report = await askNode<{ group: number; own: number; session: number; pid: number }>(`
      ${SETUP}
      import { readFileSync } from 'node:fs';
      const fields = (text) => text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
      const own = fields(readFileSync('/proc/self/stat', 'utf8'))[2];
      const { stdout, pid } = await run('cat /proc/$$/stat');
      const [, , group, session] = fields(stdout);
      console.log(JSON.stringify({ group, session, own, pid }));
    `);
    expect([report.group, report.session]).toEqual([report.pid, report.pid]);
    expect(report.group).not.toBe(report.own);
  });
});
