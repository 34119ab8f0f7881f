import { describe, expect, it } from 'vitest';
import { probe, run } from '../../index.js';
import { BIN } from '../cli/support.js';
import { temporaryDirectory } from '../support/directory.js';
import { askNode, INDEX } from '../support/node.js';
import { withoutNamespaces } from './support.js';

const LEVELS = ['read-only', 'workspace-write', 'isolated'];

/** A command line that probes in a process of its own, whose answer is not kept from before. */
const PROBE = `${process.execPath} ${BIN} probe --json`;

describe('probe()', { tags: ['sandbox'] }, () => {
  it('says that every level is available where namespaces work', async () => {
    const { sandbox } = await probe();
    expect(Object.keys(sandbox)).toEqual(LEVELS);
    for (const level of Object.values(sandbox)) {
      expect(level).toEqual({ available: true, mechanism: 'namespaces', missing: [], reason: null });
    }
  });

  it('keeps its first answer, also for callers that ask at the same time', async () => {
    const [first, second] = await Promise.all([probe(), probe()]);
    expect(second).toEqual(first);
    expect(await probe()).toEqual(first);
  });

  it('leaves nothing on disk', async () => {
    const left = await askNode<string[]>(`
      const { readdirSync } = await import('node:fs');
      const { probe } = await import(${JSON.stringify(INDEX)});
      await probe();
      const own = readdirSync('/var/tmp').filter((name) => name.startsWith('agent-bash.' + process.pid));
      console.log(JSON.stringify(own));
    `);
    expect(left).toEqual([]);
  });

  it('names the missing parts and the setting where only Landlock works', async () => {
    const { stdout, stderr } = await withoutNamespaces(PROBE);
    expect(stderr).toBe('');
    const { sandbox, ok } = JSON.parse(stdout);
    expect(ok).toBe(true);
    expect(sandbox['workspace-write']).toEqual({
      available: false,
      mechanism: 'landlock',
      missing: ['metadata', 'protected', 'processes', 'tmp', 'home', 'hidden'],
      reason: expect.stringContaining('user.max_user_namespaces=0'),
    });
  });

  it('keeps a server from starting whose commands could not run', async () => {
    const flags = `mcp --root ${temporaryDirectory()} --sandbox workspace-write`;
    const { exitCode, stdout, stderr } = await withoutNamespaces(`${process.execPath} ${BIN} ${flags}`);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain("--sandbox 'workspace-write' is not available on this machine: user namespaces");
    expect(stderr).toContain('--on-unavailable weaker accepts a sandbox without metadata, protected');
  });

  it('lets a server start that accepts a weaker sandbox, and names what it lacks', async () => {
    const flags = `mcp --root ${temporaryDirectory()} --sandbox workspace-write --on-unavailable weaker`;
    const { exitCode, stderr } = await withoutNamespaces(`${process.execPath} ${BIN} ${flags} < /dev/null`);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("the sandbox 'workspace-write' lacks metadata, protected, processes, tmp, home");
  });

  it('says that Node.js itself runs in a sandbox', async () => {
    // The repository may be in `/tmp`.
    const sandbox = { level: 'workspace-write', tmp: 'host' } as const;
    const { stdout } = await run(PROBE, { root: temporaryDirectory(), sandbox });
    const level = JSON.parse(stdout).sandbox['workspace-write'];
    expect(level).toMatchObject({ available: false, mechanism: 'landlock' });
    expect(level.reason).toContain('itself runs in a sandbox of agent-bash');
  });
});
