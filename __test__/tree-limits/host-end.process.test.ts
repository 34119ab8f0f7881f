import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { cgroupDirectory, leaves } from './support.js';

/** Starts Node.js with a command in a cgroup, and returns once its processes run. */
async function host(cgroup: string, seconds: string, table = {}) {
  const command = `(ulimit -Sx unlimited; setsid sleep ${seconds} </dev/null >/dev/null 2>&1 &); sleep ${seconds}`;
  const given = { limits: { tree: { cgroup } } };
  const program = `
    import { Jobs } from ${JSON.stringify(import.meta.resolve('../../index.js'))};
    new Jobs(${JSON.stringify(table)}).start(${JSON.stringify(command)}, ${JSON.stringify(given)});
    setInterval(() => {}, 1e6);`;
  const node = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
  await until(() => living(`sleep\0${seconds}`).length === 2, 'both sleep');
  return node;
}

describe('a host that is killed', { tags: ['cgroup'] }, () => {
  const cgroup = cgroupDirectory();

  it('leaves no process in a cgroup, and no cgroup', async () => {
    const seconds = tag();
    const node = await host(cgroup, seconds);
    node.kill('SIGKILL');
    await until(() => living(seconds).length === 0, 'all are killed');
    await until(() => leaves(cgroup).length === 0, 'the cgroup is removed');
  });

  it('leaves the processes of a job that may outlive it', async () => {
    const seconds = tag();
    const node = await host(cgroup, seconds, { onHostExit: 'leave' });
    const [name] = leaves(cgroup);
    expect(statSync(join(cgroup, String(name))).mode & 0o777).toBe(0o755);
    node.kill('SIGKILL');
    await until(() => node.signalCode === 'SIGKILL', 'the host has ended');
    await run('sleep 0.5');
    expect(living(`sleep\0${seconds}`)).toHaveLength(2);
  });
});

describe('the first command of a host', { tags: ['cgroup'] }, () => {
  const cgroup = cgroupDirectory();

  it('ends what is left in the cgroups of hosts that have ended without a guardian', async () => {
    const seconds = tag();
    const dead = spawnSync('true').pid;
    const namespace = statSync('/proc/self/ns/pid').ino;
    const names = [`agent-bash-${namespace}-${dead}-1-1`, `agent-bash-${namespace}-${dead}-1-2`, 'of-others'];
    for (const name of names) mkdirSync(join(cgroup, name), { mode: 0o700 });
    const left = spawn('sleep', [seconds], { stdio: 'ignore', detached: true });
    const own = spawn('sleep', [seconds], { stdio: 'ignore', detached: true });
    writeFileSync(join(cgroup, String(names[0]), 'cgroup.procs'), String(left.pid));
    writeFileSync(join(cgroup, 'of-others', 'cgroup.procs'), String(own.pid));
    await run('true', { limits: { tree: { cgroup } } });
    await until(() => living(`sleep\0${seconds}`).join() === String(own.pid), 'one is left');
    expect(leaves(cgroup)).toEqual(['of-others']);
    expect(readFileSync(join(cgroup, 'of-others', 'cgroup.procs'), 'utf8')).toBe(`${own.pid}\n`);
  });
});
