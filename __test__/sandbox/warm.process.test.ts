import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PrewarmOptions, prewarm, type RunOptions, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { workspace } from './support.js';

/** The shells that wait, or run, with this mark in their environment. */
function shells(mark: string): number[] {
  const ofShell = (pid: string) => {
    try {
      const isShell = readFileSync(`/proc/${pid}/comm`, 'latin1') === 'bash\n';
      return isShell && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`WARM_MARK=${mark}\0`);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && ofShell(name))
    .map(Number);
}

/** Options for which no shell waits yet. */
function options(more: PrewarmOptions): PrewarmOptions & { env: { WARM_MARK: string } } {
  return { shell: '/bin/bash', env: { WARM_MARK: tag() }, ...more } as never;
}

/** Runs a command, and returns whether a shell that was there before ran it. */
async function runWarm(command: string, given: RunOptions & { env: { WARM_MARK: string } }) {
  const before = shells(given.env.WARM_MARK);
  const result = await run(command, { ...given, warm: true });
  return { result, wasWarm: before.includes(result.pid ?? 0) };
}

/** Runs a command until a shell that was there before ran it. */
async function runOnceWarm(command: string, given: RunOptions & { env: { WARM_MARK: string } }) {
  return until(async () => {
    const { result, wasWarm } = await runWarm(command, given);
    return wasWarm && result;
  }, 'a warm shell runs it');
}

describe('a warm shell in a sandbox', { tags: ['sandbox'] }, () => {
  it('runs a command in its sandbox', async () => {
    const { root, sandbox } = workspace();
    const outside = join(temporaryDirectory(), 'outside');
    const given = options({ root, sandbox });
    expect(prewarm(given)).toBe(true);
    const result = await runOnceWarm(`echo in > inside; cat inside; echo out > ${outside}`, given);
    expect([result.stdout, result.exitCode]).toEqual(['in\n', 1]);
    expect(existsSync(outside)).toBe(false);
    expect(result.sandbox).toMatchObject({ level: 'workspace-write', missing: [], refused: [] });
  });

  it('is used by no command without a sandbox, or with another one', async () => {
    const { root, sandbox } = workspace();
    const given = options({ root, sandbox });
    await runOnceWarm(':', given);
    for (const other of [undefined, 'read-only' as const, { ...sandbox, network: 'loopback' as const }]) {
      expect((await runWarm(':', { ...given, sandbox: other })).wasWarm).toBe(false);
    }
    const free = options({ root });
    await runOnceWarm(':', free);
    expect((await runWarm(':', { ...free, sandbox })).wasWarm).toBe(false);
  });

  it('is used by no command whose sandbox would protect more by now', async () => {
    const { root, sandbox } = workspace();
    const given = options({ root, sandbox });
    await runOnceWarm(':', given);
    mkdirSync(join(root, '.vscode'));
    writeFileSync(join(root, '.vscode/tasks.json'), 'tasks');
    for (let count = 0; count < 5; count++) {
      const { exitCode } = await run('echo x > .vscode/tasks.json', { ...given, warm: true });
      expect(exitCode).toBe(1);
    }
    expect(readFileSync(join(root, '.vscode/tasks.json'), 'utf8')).toBe('tasks');
  });

  it('leaves no directory in place of a missing path while it waits', async () => {
    const { root, sandbox } = workspace({ protected: ['memo'] });
    const given = options({ root, sandbox });
    expect((await run('mkdir memo/x', { ...given, warm: true })).exitCode).toBe(1);
    await until(() => !existsSync(join(root, 'memo')), 'the stub is gone');
    expect(shells(given.env.WARM_MARK)).toEqual([]);
  });

  it('does not run a command whose sandbox can not be built', async () => {
    const { root } = workspace();
    const given = options({ root, sandbox: { level: 'workspace-write', writable: ['no-such'] } });
    expect(prewarm(given)).toBe(true);
    const { status, error } = await run('echo x > file', { ...given, warm: true });
    expect([status, error?.code]).toEqual(['failed', 'SANDBOX_PATH']);
    expect(existsSync(join(root, 'file'))).toBe(false);
  });
});
