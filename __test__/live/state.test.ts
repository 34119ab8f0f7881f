import { MessageChannel } from 'node:worker_threads';
import { Live, type LiveEvent } from 'agent-bash/live';
import { describe, expect, it } from 'vitest';
import { Jobs, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

type State = Extract<LiveEvent, { type: 'state' }>;

/** Follows a command at a port, and returns its first state for which `isWanted` holds. */
async function stateOf(live: Live, id: string, isWanted: (state: State) => boolean): Promise<State> {
  const { port1, port2 } = new MessageChannel();
  live.connect(port1 as never);
  port2.postMessage({ type: 'follow', id });
  try {
    return await new Promise((resolve) => {
      port2.on('message', ({ type, event }) => {
        if (type === 'event' && event.type === 'state' && event.id === id && isWanted(event)) resolve(event);
      });
    });
  } finally {
    port2.close();
  }
}

describe('the state of a command on a page', () => {
  it('has its processes, each after its parent, and its ports', async () => {
    await using live = new Live();
    await using jobs = new Jobs();
    live.add(jobs);
    const server = `require("http").createServer().listen(0, "127.0.0.1")`;
    const job = jobs.start(`sleep 60 & "${process.execPath}" -e '${server}'; wait`);
    const hasPrograms = ({ processes, ports }: State) =>
      ports.length > 0 && processes.some(({ program }) => program === 'sleep');
    const { processes, ports, refused } = await stateOf(live, job.id, hasPrograms);
    const programs = processes.map(({ program }) => program);
    expect(programs[0]).toBe('bash');
    expect(programs.slice(1).sort()).toEqual(['node', 'sleep']);
    const [leader, ...children] = processes;
    expect(leader?.pid).toBe(job.pid);
    for (const child of children) expect(child.parent).toBe(leader?.pid);
    expect(ports).toMatchObject([
      { address: '127.0.0.1', pid: processes.find(({ program }) => program === 'node')?.pid },
    ]);
    expect(refused).toEqual([]);
    job.kill();
  });

  it('is there for a command of a session', async () => {
    await using live = new Live();
    await using session = new ShellSession();
    live.add(session);
    const job = session.start('sleep 60');
    // A child of the shell is a second bash until it executes its program.
    const hasProgram = ({ processes }: State) => processes.some(({ program }) => program === 'sleep');
    const { processes } = await stateOf(live, job.id, hasProgram);
    expect(processes.map(({ program }) => program)).toEqual(['bash', 'sleep']);
    job.kill();
  });

  it('has what its sandbox has refused so far, and none of the processes that make the sandbox', {
    tags: ['sandbox', 'curl'],
  }, async () => {
    await using live = new Live();
    await using jobs = new Jobs();
    live.add(jobs);
    const job = jobs.start('curl -s http://refused.example; sleep 60', {
      root: temporaryDirectory(),
      sandbox: { level: 'workspace-write', network: { allow: ['allowed.example:80'] } },
    });
    const { processes, refused } = await stateOf(
      live,
      job.id,
      (state) => state.refused.length > 0 && state.processes.some(({ program }) => program === 'sleep'),
    );
    expect(refused).toMatchObject([{ host: 'refused.example' }]);
    expect(processes.map(({ program }) => program)).toEqual(['sleep']);
    job.kill();
  });
});
