import { describe, expect, it } from 'vitest';
import { askNode, INDEX } from '../support/node.js';
import { tag } from '../support/tag.js';

const SETUP = `
  import { Jobs, run } from ${JSON.stringify(INDEX)};
  const heard = [];
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2']) process.on(name, () => heard.push(name));
`;

describe('a kill', () => {
  it('reaches neither the host nor a process beside the job', async () => {
    const told = await askNode<unknown>(
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
        // Signals that have come are heard in the next turns.
        await new Promise((resolve) => setTimeout(resolve, 50));
        const isAlive = beside.exitCode === null && beside.signalCode === null;
        beside.kill('SIGKILL');
        console.log(JSON.stringify({ heard, isAlive }));
      `,
      { tag: tag() },
    );
    expect(told).toEqual({ heard: [], isAlive: true });
  });

  it('by the command of its own group does not reach the host', async () => {
    const told = await askNode<unknown>(`
      ${SETUP}
      const { status, signal } = await run("trap '' HUP; kill -TERM 0; sleep 60");
      await new Promise((resolve) => setTimeout(resolve, 50));
      console.log(JSON.stringify({ status, signal, heard }));
    `);
    expect(told).toEqual({ status: 'signaled', signal: 'SIGTERM', heard: [] });
  });

  it('of a job that is over reaches nobody', async () => {
    const told = await askNode<unknown>(`
      ${SETUP}
      const table = new Jobs({ maxRunning: 100 });
      const over = table.start('true');
      await over.result;
      const answers = ['SIGTERM', 'SIGKILL', 0].map((signal) => over.kill(signal));
      console.log(JSON.stringify({ answers, byId: table.kill(over.id), heard }));
    `);
    expect(told).toEqual({ answers: [false, false, false], byId: false, heard: [] });
  });

  it('leaves a command in a group and a session of its own', async () => {
    const told = await askNode<{ group: number; own: number; session: number; pid: number }>(`
      ${SETUP}
      import { readFileSync } from 'node:fs';
      const fields = (text) => text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
      const own = fields(readFileSync('/proc/self/stat', 'utf8'))[2];
      const { stdout, pid } = await run('cat /proc/$$/stat');
      const [, , group, session] = fields(stdout);
      console.log(JSON.stringify({ group, session, own, pid }));
    `);
    expect([told.group, told.session]).toEqual([told.pid, told.pid]);
    expect(told.group).not.toBe(told.own);
  });
});
