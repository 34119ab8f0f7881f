import { describe, expect, it } from 'vitest';
import { NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { hostOf, JOBS } from './jobs.js';

interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The ways in which a Node process may end: its own act or a signal, and its status as seen from outside. */
const ENDS: Record<string, { program?: string; kill?: NodeJS.Signals; end: End }> = {
  'by itself': { program: 'for (const job of jobs) job.unref();', end: { code: 0, signal: null } },
  'by process.exit()': { program: 'process.exit(3);', end: { code: 3, signal: null } },
  'by an uncaught error': {
    program: "setImmediate(() => { throw new Error('uncaught') });",
    end: { code: 1, signal: null },
  },
  'by an unhandled rejection': {
    program: "Promise.reject(new Error('unhandled'));",
    end: { code: 1, signal: null },
  },
  'by process.abort()': { program: 'process.abort();', end: { code: null, signal: 'SIGABRT' } },
  'by SIGTERM': { kill: 'SIGTERM', end: { code: null, signal: 'SIGTERM' } },
  'by SIGINT': { kill: 'SIGINT', end: { code: null, signal: 'SIGINT' } },
  'by SIGKILL': { kill: 'SIGKILL', end: { code: null, signal: 'SIGKILL' } },
};

async function endOf(host: NodeProcess, kill?: NodeJS.Signals): Promise<End> {
  await host.printed('ready');
  if (kill !== undefined) host.process.kill(kill);
  // Should it hang, the test times out here.
  const { code, signal } = await host.ended;
  return { code, signal };
}

describe.each(Object.entries(ENDS))('Node that ends %s', (_, { program = '', kill, end }) => {
  it.each(Object.keys(JOBS))('leaves nothing of %s', async (name) => {
    const seconds = tag();
    const host = new NodeProcess(hostOf([name], program), { tag: seconds });
    expect(await endOf(host, kill)).toEqual(end);
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('leaves nothing of all of them together', async () => {
    const seconds = tag();
    const host = new NodeProcess(hostOf(Object.keys(JOBS), program), { tag: seconds });
    expect(await endOf(host, kill)).toEqual(end);
    await until(() => living(seconds).length === 0, 'none is left');
  });
});

// A server that an agent starts like this must stay, as after any shell.
describe('what a finished bash() has left in the background, with its output redirected', () => {
  it.each(['by itself', 'by process.exit()', 'by SIGTERM', 'by SIGKILL'])(
    'outlives a Node that ends %s',
    async (how) => {
      const { program = '', kill, end } = ENDS[how] ?? { end: { code: 0, signal: null } };
      const seconds = tag();
      const host = new NodeProcess(
        `
          await bash({ command: 'sleep ' + TAG + ' >/dev/null 2>&1 & echo started' }, root);
          const [guardian] = guardians();
          const jobs = [];
          console.log('guardian ' + guardian + ' ready');
          ${kill === undefined ? program : 'setInterval(() => {}, 1_000);'}
        `,
        { tag: seconds },
      );
      expect(await endOf(host, kill)).toEqual(end);
      const guardian = Number(/guardian (\d+)/.exec((await host.ended).stdout)?.[1]);
      await until(() => !living('agent-bash-guardian').includes(guardian), 'the guardian has done its work');
      const left = living(seconds);
      for (const pid of left) process.kill(pid, 'SIGKILL');
      expect(left).toHaveLength(1);
    },
  );
});
