import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { run, ShellSession, type TreeLimits } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { living } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { cgroupDirectory } from './support.js';

const cgroup = cgroupDirectory();
const MEMORY = 64 * 2 ** 20;
/** A program that allocates much more than {@link MEMORY}. */
const ALLOCATES = `perl -e 'my @a; push @a, "x" x 1e6 for 1..400'`;
const OUT_OF_MEMORY = 'out of memory: all processes together reached 64.0 MiB, and the kernel ended them';
const REFUSED = 'the limit of 10 processes was reached; more were refused';

const within = (tree: TreeLimits, command: string, options = {}) =>
  run(command, { timeout: 120_000, limits: { tree: { cgroup, ...tree } }, ...options });

describe('limits.tree', { tags: ['cgroup-limits'], timeout: 300_000 }, () => {
  it('ends all processes of a command that takes more memory together', async () => {
    const seconds = tag();
    const result = await within({ memory: MEMORY }, `sleep ${seconds} & ${ALLOCATES}; echo goes on`);
    expect(result).toMatchObject({ status: 'signaled', signal: 'SIGKILL', stdout: '' });
    expect(result.error).toEqual({ code: 'OUT_OF_MEMORY', message: OUT_OF_MEMORY });
    expect(result.limits).toMatchObject({ applied: ['memory'], hit: ['memory'] });
    expect(result.usage?.tree?.oomKills).toBeGreaterThan(0);
    expect(living(seconds)).toEqual([]);
  });

  it('counts memory of many small processes together', async () => {
    const small = `for i in $(seq 12); do perl -e 'my $a = "x" x 1e7; sleep 60' & done; wait`;
    const { error } = await within({ memory: MEMORY }, small);
    expect(error?.code).toBe('OUT_OF_MEMORY');
  });

  it('refuses more processes, also to root', async () => {
    const bomb = ':(){ :|:& };:; sleep 5';
    const { limits, status } = await within({ processes: 10 }, bomb, { timeout: 20_000, background: 'kill' });
    expect(limits).toMatchObject({ applied: ['processes'], hit: ['processes'] });
    expect(status).not.toBe('failed');
  });

  it('slows a command down to its processors', async () => {
    const spins = 'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done';
    const { limits, usage } = await within({ cpus: 0.1 }, spins);
    expect(limits).toMatchObject({ applied: ['cpus'], hit: ['cpu'] });
    expect(usage?.tree?.throttledMs).toBeGreaterThan(0);
  });

  it('applies each limit before the first instruction', async () => {
    const tree = { memory: MEMORY, swap: 4096, processes: 17, cpus: 1.5, cpuWeight: 30 };
    const files = ['memory.max', 'memory.swap.max', 'pids.max', 'cpu.max', 'cpu.weight'];
    const read = files.map((name) => `cat $d/${name} 2>/dev/null || echo none`).join('; ');
    const { stdout, limits } = await within(
      tree,
      `d=$(dirname ${cgroup})$(sed -n 's/^0:://p' /proc/self/cgroup); ${read}`,
    );
    expect(stdout.split('\n').slice(0, 5)).toEqual(['67108864', '4096', '17', '150000 100000', '30']);
    expect(limits?.applied).toEqual(['memory', 'swap', 'processes', 'cpus', 'cpuWeight']);
  });

  it('names what a device does not take, and runs nothing', async () => {
    const { error } = await within({ io: { read: 1e6 } }, 'echo ran', { cwd: '/proc' });
    expect(error?.code).toBe('LIMITS_UNAVAILABLE');
    expect(error?.message).toContain('the working directory is on no plain block device');
  });

  it('holds in a sandbox', { tags: ['sandbox'] }, async () => {
    const options = { sandbox: 'workspace-write', root: temporaryDirectory() };
    const { error, stdout } = await within({ memory: MEMORY }, `${ALLOCATES}; echo goes on`, options);
    expect([error?.code, stdout]).toEqual(['OUT_OF_MEMORY', '']);
  });

  it('ends the shell of a session, and the next command has a new one', async () => {
    await using session = new ShellSession({ limits: { tree: { cgroup, memory: MEMORY } } });
    const first = await session.run('true');
    expect(first.limits).toMatchObject({ applied: ['memory'], hit: [] });
    const { shellEnded, error, limits } = await session.run(ALLOCATES);
    expect([shellEnded, error?.code, limits?.hit]).toEqual([true, 'OUT_OF_MEMORY', ['memory']]);
    const next = await session.run('echo again');
    expect([next.stdout, next.limits?.hit]).toEqual(['again\n', []]);
  });

  it.each([
    ['memory', { memory: MEMORY }, ALLOCATES, OUT_OF_MEMORY],
    ['processes', { processes: 10 }, 'for i in $(seq 20); do sleep 1 & done; wait', REFUSED],
  ])('tells a model that the limit of %s was reached', async (_, tree, command, text) => {
    const limits = { tree: { cgroup, ...tree } };
    await using toolset = createTools('claude-code', {
      limits,
      session: 'none',
      background: 'kill',
    } as never);
    const answer = await toolset.call('Bash', { command, description: 'a test' });
    expect(answer.text).toContain(`[${text}]`);
  });
});
