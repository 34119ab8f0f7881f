import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { run, ShellSession } from '../../index.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { cgroupDirectory, leaves } from './support.js';

const cgroup = cgroupDirectory();
const limits = { tree: { cgroup } };
const own = () => readFileSync('/proc/self/cgroup', 'utf8');

/** A command that leaves a process without its tag, its session, its parent and its output. */
const escaping = (seconds: string) =>
  `(ulimit -Sx unlimited; setsid sleep ${seconds} </dev/null >/dev/null 2>&1 &) & wait; sleep 0.1`;

describe('limits.tree', { tags: ['cgroup'] }, () => {
  it('starts a command in a cgroup of its own, which goes with it', async () => {
    const { stdout, limits: report, usage } = await run('cat /proc/self/cgroup', { limits });
    expect(stdout).toMatch(/^0::.*\/agent-bash-test-[^/]*\/agent-bash-\d+-\d+-\d+-\d+$/m);
    expect(report).toEqual({ mechanism: 'directory', applied: [], missing: [], hit: [], reason: null });
    expect(usage?.tree).toMatchObject({ oomKills: 0, throttledMs: 0 });
    expect(usage?.tree?.userMs).toBeGreaterThanOrEqual(0);
    expect(leaves(cgroup)).toEqual([]);
  });

  it('is nothing to a command without it', async () => {
    const { stdout } = await run('cat /proc/self/cgroup');
    expect(stdout).toBe(own());
  });

  it('counts what all processes have used, also those that nobody waited for', async () => {
    const command = 'setsid sh -c "i=0; while [ \\$i -lt 200000 ]; do i=\\$((i+1)); done" & sleep 0.01; wait';
    const { usage } = await run(command, { limits });
    expect(usage?.tree?.userMs).toBeGreaterThan(20);
  });

  it('finds the processes that no scan finds, and ends them with their command', async () => {
    const seconds = tag();
    const { status } = await run(escaping(seconds), { limits, background: 'kill' });
    expect(status).toBe('exited');
    await until(() => living(seconds).length === 0, 'it is killed');
  });

  it('leaves processes to themselves where they may outlive their command', async () => {
    const seconds = tag();
    const { backgroundPids } = await run(escaping(seconds), { limits });
    expect(backgroundPids).toEqual(living(`sleep\0${seconds}`));
    expect(leaves(cgroup)).toHaveLength(1);
    process.kill(Number(backgroundPids[0]), 'SIGKILL');
    await until(() => living(seconds).length === 0, 'it has died');
    // The next command removes the cgroup.
    await until(async () => {
      await run('true', { limits });
      return leaves(cgroup).length === 0;
    }, 'the cgroup is removed');
  });

  it('ends with a timeout, whatever its processes are', async () => {
    const seconds = tag();
    const { status } = await run(`${escaping(seconds)}; sleep ${seconds}`, {
      limits,
      timeout: 400,
      forceKillAfterDelay: 100,
    });
    expect(status).toBe('timeout');
    await until(() => living(seconds).length === 0, 'all are killed');
    await until(
      () => leaves(cgroup).length === 0 || run('true', { limits }).then(() => false),
      'it is removed',
    );
  });

  it('is that of the shell of a session', async () => {
    await using session = new ShellSession({ limits });
    const [first, second] = [
      await session.run('cat /proc/self/cgroup'),
      await session.run('cat /proc/self/cgroup'),
    ];
    expect(first.stdout).toBe(second.stdout);
    expect(second.limits?.mechanism).toBe('directory');
  });

  it('moves the command where a filter of system calls knows no clone3', { tags: ['strace'] }, () => {
    const program = `
      import { run } from ${JSON.stringify(import.meta.resolve('../../index.js'))};
      const { stdout } = await run('cat /proc/self/cgroup', { limits: ${JSON.stringify(limits)} });
      process.stdout.write(stdout);`;
    const words = ['-f', '-o', '/dev/null', '-e', 'trace=clone3', '-e', 'inject=clone3:error=ENOSYS'];
    const node = [process.execPath, '--input-type=module', '-e', program];
    const { stdout, stderr } = spawnSync('strace', [...words, ...node], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(stdout, stderr).toMatch(/^0::.*\/agent-bash-\d+-\d+-\d+-1$/m);
  });
});
