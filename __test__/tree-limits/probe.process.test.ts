import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { probe } from '../../index.js';
import { cgroupDirectory, leaves } from './support.js';

const CLI = join(import.meta.dirname, '..', '..', 'entry', 'cli.js');
const cli = (words: string[], cgroup: string) =>
  spawnSync(process.execPath, [CLI, ...words], {
    encoding: 'utf8',
    env: { ...process.env, AGENT_BASH_CGROUP: cgroup },
  });

describe('the probe', () => {
  it('says why there are no limits of all processes, and what helps', async () => {
    const { treeLimits } = await probe();
    if (treeLimits.mechanism !== null) return expect(treeLimits.reason).toBeNull();
    expect(treeLimits.controllers).toEqual([]);
    expect(treeLimits.reason).toMatch(/AGENT_BASH_CGROUP|no cgroups/);
  });

  it('prints the reason for a directory that is none of cgroups', () => {
    const { stdout } = cli(['probe'], '/tmp');
    expect(stdout).toMatch(
      /^limits\.tree +none: (\/tmp is no directory of cgroups of version 2|this system has no cgroups)$/m,
    );
  });
});

describe('the probe of a prepared directory', { tags: ['cgroup'] }, () => {
  const cgroup = cgroupDirectory();

  it('prints its controllers, and changes nothing', () => {
    const controllers = readFileSync(join(cgroup, 'cgroup.controllers'), 'utf8').trim().split(' ');
    const { treeLimits } = JSON.parse(cli(['probe', '--json'], cgroup).stdout);
    expect(treeLimits).toEqual({
      mechanism: 'directory',
      controllers: controllers.filter((name) => name !== ''),
      reason: null,
    });
    expect(readFileSync(join(cgroup, 'cgroup.subtree_control'), 'utf8').trim()).toBe('');
    expect(leaves(cgroup)).toEqual([]);
  });

  it('says that a directory with processes limits nothing', () => {
    const busy = join(cgroup, 'busy');
    mkdirSync(busy);
    const program = `echo $$ > ${busy}/cgroup.procs; exec ${process.execPath} ${CLI} probe --json`;
    const env = { ...process.env, AGENT_BASH_CGROUP: busy };
    const { treeLimits } = JSON.parse(execFileSync('sh', ['-c', program], { encoding: 'utf8', env }));
    expect(treeLimits.mechanism).toBeNull();
    expect(treeLimits.reason).toMatch(/^there are processes in .*\/busy, and only a cgroup without any/);
  });
});

describe('the command line', { tags: ['cgroup'] }, () => {
  const cgroup = cgroupDirectory();

  it('limits all processes of a command by its options', () => {
    const words = ['run', '--tree-memory', '1G', '--tree-processes', '100', '--tree-cpus', '0.5'];
    const { stdout, stderr, status } = cli([...words, '--', 'cat /proc/self/cgroup'], cgroup);
    if (status === 0) expect(stdout).toMatch(/\/agent-bash-\d+-\d+-\d+-1$/m);
    else expect(stderr).toContain("there is no controller 'memory'");
  });

  it.each([
    ['--tree-memory', 'much', /--tree-memory: expected a size/],
    ['--tree-cpus', '0', /--tree-cpus: expected a number of processors such as 1.5/],
    ['--tree-cpus', '99999', /--tree-cpus: expected a number of processors from 0.01 to 10000/],
    ['--tree-processes', '-1', /--tree-processes/],
  ])('says what is wrong: %s %s', (flag, value, message) => {
    const { stderr, status } = cli(['run', `${flag}=${value}`, '--', 'true'], cgroup);
    expect(stderr.replaceAll("'", '')).toMatch(message);
    expect(status).toBe(2);
  });
});
