import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Diagnostics } from '../../index.js';
import { manifest, placePackage, ROOT } from '../install/support/repository.js';
import { temporaryDirectory } from '../support/directory.js';
import { askNode, INDEX, NodeProcess } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const { version } = manifest(ROOT);

/** Returns `diagnostics()` of this package before, during and after the first command. */
function diagnosticsOf(index: string): Promise<{ before: Diagnostics; after: Diagnostics; stdout: string }> {
  return askNode(`
    const { diagnostics, run } = await import(${JSON.stringify(index)}).then((all) => all.default);
    const before = diagnostics();
    const { stdout } = await run('echo works; sleep 60 & exit', { background: 'kill' });
    await until(() => diagnostics().guardian.state !== 'starting', 'it has greeted or failed');
    const after = diagnostics();
    console.log(JSON.stringify({ before, after, stdout }));
  `);
}

describe('the helper program', () => {
  const directory = temporaryDirectory();
  let index = '';
  let helper = '';

  beforeEach(() => {
    const placed = placePackage(mkdtempSync(join(directory, 'project-')));
    index = join(placed.main, 'index.js');
    ({ helper } = placed);
  });

  it('beside the addon is the guardian', async () => {
    const { before, after, stdout } = await diagnosticsOf(index);
    expect(before).toEqual({ guardian: { state: 'idle', path: helper, error: null } });
    expect(after).toEqual({ guardian: { state: 'running', path: helper, error: null } });
    expect(stdout).toBe('works\n');
  });

  it('that is missing is reported before and after the first command, and commands run', async () => {
    rmSync(helper);
    const { before, after, stdout } = await diagnosticsOf(index);
    expect(stdout).toBe('works\n');
    expect(after).toEqual(before);
    expect(after.guardian).toMatchObject({
      state: 'missing',
      path: helper,
      error: { code: 'HELPER_MISSING', message: expect.stringContaining(helper) },
    });
    expect(after.guardian.error?.message).toContain('asarUnpack');
  });

  it('that may not be executed is reported, and commands run', async () => {
    chmodSync(helper, 0o644);
    const { before, after, stdout } = await diagnosticsOf(index);
    expect(stdout).toBe('works\n');
    expect(after).toEqual(before);
    expect(after.guardian).toMatchObject({ state: 'missing', error: { code: 'HELPER_MISSING' } });
    expect(after.guardian.error?.message).toMatch(/EACCES.*chmod \+x.*noexec/);
  });

  it('of another version is reported with both versions, and commands run', async () => {
    writeFileSync(helper, '#!/bin/sh\necho agent-bash-helper 0.0.1 >&0\nread -r _\n');
    const { before, after, stdout } = await diagnosticsOf(index);
    expect(stdout).toBe('works\n');
    expect(before.guardian.state).toBe('idle');
    expect(after.guardian).toMatchObject({ state: 'missing', error: { code: 'HELPER_VERSION' } });
    expect(after.guardian.error?.message).toContain(`version 0.0.1, and the addon is version ${version}`);
  });

  it('that does not greet keeps no command waiting', async () => {
    writeFileSync(helper, '#!/bin/sh\nexec sleep 4\n');
    const { duration, state } = await askNode<{ duration: number; state: string }>(`
      const { diagnostics, run } = await import(${JSON.stringify(index)}).then((all) => all.default);
      const began = performance.now();
      await run(['true']);
      console.log(JSON.stringify({ duration: performance.now() - began, state: diagnostics().guardian.state }));
    `);
    expect(state).toBe('starting');
    expect(duration).toBeLessThan(3_000);
  });

  it.runIf(process.platform === 'linux')(
    'that is missing: the process of each command dies with a Node that is killed',
    async () => {
      rmSync(helper);
      const seconds = tag();
      const host = new NodeProcess(
        `
          const { run } = await import(${JSON.stringify(index)}).then((all) => all.default);
          for (let count = 0; count < 5; count++) run(['sleep', TAG]);
          await until(() => living('sleep\\0' + TAG).length === 5, 'all sleep');
          console.log('ready');
        `,
        { tag: seconds },
      );
      await host.printed('ready');
      host.process.kill('SIGKILL');
      await host.ended;
      await until(() => living(seconds).length === 0, 'none is left');
    },
  );
});

describe('diagnostics()', () => {
  it('reports that a guardian was killed, and that a new one runs', async () => {
    const states = await askNode<string[]>(`
      const { diagnostics, run } = await import(${JSON.stringify(INDEX)}).then((all) => all.default);
      const state = () => diagnostics().guardian.state;
      await run('true');
      await until(() => state() === 'running', 'it has greeted');
      const states = [state()];
      process.kill(guardians()[0], 'SIGKILL');
      await until(() => state() === 'stopped', 'its end was seen');
      states.push(state());
      await until(() => state() === 'running', 'it is back');
      states.push(state());
      console.log(JSON.stringify(states));
    `);
    expect(states).toEqual(['running', 'stopped', 'running']);
  });
});
