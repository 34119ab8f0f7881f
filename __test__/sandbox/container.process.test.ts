import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, type SandboxLevel } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { INDEX } from '../support/node.js';
import { workspace } from './support.js';

const LEVELS: SandboxLevel[] = ['read-only', 'workspace-write', 'isolated'];

/** Runs a program where no new `/proc` can be mounted, as in a container with the usual settings. */
async function inContainer(program: string) {
  const { root } = workspace();
  const path = join(root, 'program.mjs');
  writeFileSync(path, program.replaceAll('ROOT', JSON.stringify(root)));
  const script = `mount -t tmpfs none /proc/sys && exec ${process.execPath} ${path}`;
  const machine = ['unshare', '--user', '--map-root-user', '--mount', '--pid', '--fork', '--mount-proc'];
  const { stdout, stderr } = await run([...machine, 'sh', '-c', script], { timeout: 60_000 });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe('in a container with the usual settings', { tags: ['sandbox'] }, () => {
  it('a sandbox is available at each level, and says what it lacks', async () => {
    const { probed, results } = await inContainer(`
      import { probe, run } from ${JSON.stringify(INDEX)};
      const { sandbox: probed } = await probe();
      const results = [];
      for (const level of ${JSON.stringify(LEVELS)}) {
        results.push(await run('echo "level:$AGENT_BASH_SANDBOX:"', { root: ROOT, sandbox: level }));
      }
      console.log(JSON.stringify({ probed, results }));`);
    for (const [index, level] of LEVELS.entries()) {
      const missing = ['processes'];
      const reason = expect.stringContaining("a new /proc can't be mounted in this container");
      expect(probed[level]).toMatchObject({ available: true, mechanism: 'namespaces', reason });
      // The file system of the machine may carry no layer for the home.
      expect(probed[level].missing.filter((part: string) => part !== 'home')).toEqual(missing);
      expect(results[index]).toMatchObject({ status: 'exited', stdout: `level:${level}:\n` });
      expect(results[index].sandbox.missing).toEqual(probed[level].missing);
    }
  });

  it('a tool with the defaults runs commands in it, which see no process that ran before', async () => {
    const { text } = await inContainer(`
      import { createTools } from ${JSON.stringify(INDEX.replace('index.js', 'entry/tools.js'))};
      const toolset = createTools('bash', { root: ROOT, sandbox: 'workspace-write', timeout: 30_000 });
      const command = 'grep -l "" /proc/[0-9]*/comm | wc -l; ls -d /proc/' + process.pid + '/*; kill -0 ' + process.pid;
      const { text } = await toolset.call('bash', { command });
      await toolset.dispose();
      console.log(JSON.stringify({ text }));`);
    // The shell, grep and wc.
    expect(text).toMatch(/^[234]\n/);
    expect(text).toMatch(/cannot access .*No such file or directory/);
    expect(text).toMatch(/Operation not permitted/);
  });
});
