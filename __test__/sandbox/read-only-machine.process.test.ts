import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, type SandboxLevel } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { INDEX } from '../support/node.js';
import { workspace } from './support.js';

const LEVELS: SandboxLevel[] = ['read-only', 'workspace-write', 'isolated'];

/** A sandbox `read-only` has a `/tmp` of its own, which would hide a repository there. */
const OUTER = LEVELS.filter((level) => level !== 'read-only' || !INDEX.startsWith('/tmp/'));

/** Every directory in which the engine may make directories of its own. */
const ALL = ['/var/tmp', '/tmp', '/run', '/dev/shm'];

/**
 * Writes a program into the workspace that runs a command at each level, and prints the results and the
 * probe.
 */
function program(root: string, options: object): string {
  const path = join(root, 'program.mjs');
  writeFileSync(
    path,
    `import { probe, run } from ${JSON.stringify(INDEX)};
    const { sandbox: probed } = await probe();
    const results = [];
    for (const level of ${JSON.stringify(LEVELS)}) {
      const sandbox = { level, ...(level === 'read-only' ? {} : { protected: ['memo'] }), ...${JSON.stringify(options)} };
      results.push(await run('echo "level:$AGENT_BASH_SANDBOX:"', { root: ${JSON.stringify(root)}, sandbox }));
    }
    console.log(JSON.stringify({ probed, results }));`,
  );
  return path;
}

/** Runs the program where these directories can't be written. */
async function where(readOnly: string[], root: string) {
  const mounts = readOnly.map(
    (path) => `mount --rbind ${path} ${path} && mount -o remount,bind,ro ${path} &&`,
  );
  const script = `${mounts.join(' ')} exec ${process.execPath} ${program(root, {})}`;
  const machine = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script];
  const { stdout, stderr } = await run(machine, { timeout: 60_000 });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe('on a machine whose directories are read-only', { tags: ['sandbox'] }, () => {
  it.each([[['/var/tmp']], [['/var/tmp', '/tmp']]])('each level works without %j', async (readOnly) => {
    const { root } = workspace();
    const { probed, results } = await where(readOnly, root);
    for (const [index, level] of LEVELS.entries()) {
      expect(probed[level]).toMatchObject({ available: true, mechanism: 'namespaces' });
      expect(results[index]).toMatchObject({ status: 'exited', stdout: `level:${level}:\n` });
    }
    expect(readdirSync(root)).toEqual(['program.mjs']);
  });

  it('no level is available without any directory, and the reason names those that were tried', async () => {
    const { probed, results } = await where(ALL, workspace().root);
    const reason = expect.stringMatching(
      /no private directory can be made in any of \/var\/tmp, \/tmp, .*Read-only file system/,
    );
    for (const [index, level] of LEVELS.entries()) {
      expect(probed[level]).toEqual({ available: false, mechanism: null, missing: [], reason });
      expect(results[index].error).toMatchObject({ code: 'SANDBOX_UNAVAILABLE', message: reason });
    }
  });

  it.each(OUTER)("each level works with 'weaker' inside of a sandbox: %s", async (level) => {
    const { root, sandbox } = workspace({ level, tmp: level === 'read-only' ? undefined : 'host' });
    const inner = program(root, { onUnavailable: 'weaker' });
    const visible = level === 'isolated' ? [join(INDEX, '..')] : [];
    const { stdout } = await run([process.execPath, inner], { root, sandbox: { ...sandbox, visible } });
    for (const [index, result] of JSON.parse(stdout).results.entries()) {
      expect(result).toMatchObject({ status: 'exited', stdout: `level:${LEVELS[index]}:\n` });
      expect(result.sandbox.mechanism).toBe('landlock');
    }
  });
});
