import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestShell } from 'agent-bash/testing';
import { matchers, withShell } from 'agent-bash/testing';
import { createTools } from 'agent-bash/tools';
import { beforeEach, expect, it } from 'vitest';
import { Overlay, run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

let file = '';
let project = '';

beforeEach(() => {
  const directory = temporaryDirectory();
  file = join(directory, 'cassette.json');
  project = join(directory, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'src/a.js'), 'var a\n');
});

const withOverlay = <T>(mode: 'record' | 'replay', act: (shell: TestShell) => Promise<T>) =>
  withShell('x', { file, mode, project, files: true }, act);

it('an overlay answers as it did when it was recorded, and a commit changes the root', {
  tags: ['sandbox'],
}, async () => {
  const act = async (shell: TestShell) => {
    await using overlay = new Overlay({ root: shell.root });
    const { status, stdout } = await run(
      "sed -i s/var/let/ src/a.js; echo new >b; printf 'x\\0' >c; cat src/a.js",
      {
        overlay,
        cwd: shell.root,
      },
    );
    const before = readFileSync(join(shell.root, 'src/a.js'), 'utf8');
    const told = [
      await overlay.changes(),
      await overlay.changes({ exclude: ['b'] }),
      await overlay.conflicts(),
    ];
    const diff = await overlay.diff({ context: 0 });
    const { applied } = await overlay.commit({ paths: ['src'] });
    const after = readFileSync(join(shell.root, 'src/a.js'), 'utf8');
    const left = await overlay.changes();
    expect(matchers.toHaveTouched(shell, ['src/a.js']).pass).toBe(true);
    return { status, stdout, before, told, diff, applied, after, left };
  };
  const recorded = await withOverlay('record', act);
  expect(recorded).toMatchObject({ stdout: 'let a\n', before: 'var a\n', after: 'let a\n' });
  expect(readFileSync(file, 'utf8')).toContain('          "-var a\\n",\n          "+let a\\n"');
  expect(await withOverlay('replay', act)).toEqual(recorded);
});

it('two overlays, and a session in one, are told apart', { tags: ['sandbox'] }, async () => {
  const act = async (shell: TestShell) => {
    await using one = new Overlay({ root: shell.root });
    await using other = new Overlay({ root: shell.root });
    await run('echo 1 >x', { overlay: one });
    await run('echo 2 >y', { overlay: other });
    await using session = new ShellSession({ overlay: other });
    await session.run('echo 3 >z');
    const paths = async (overlay: Overlay) => (await overlay.changes()).map(({ path }) => path);
    return [await paths(one), await paths(other)];
  };
  const recorded = await withOverlay('record', act);
  expect(recorded).toEqual([['x'], ['y', 'z']]);
  expect(await withOverlay('replay', act)).toEqual(recorded);
});

it('the error of an overlay is replayed, with its conflicts', { tags: ['sandbox'] }, async () => {
  const act = async (shell: TestShell) => {
    await using overlay = new Overlay({ root: shell.root });
    await run('echo mine >src/a.js', { overlay });
    writeFileSync(join(shell.root, 'src/a.js'), 'theirs\n');
    return overlay.commit().catch(({ code, message, conflicts }) => ({ code, message, conflicts }));
  };
  const recorded = await withOverlay('record', act);
  expect(recorded).toMatchObject({ code: 'OVERLAY_CONFLICT' });
  expect(await withOverlay('replay', act)).toEqual(recorded);
});

it('a question that was not recorded fails the test, and one that is not asked too', {
  tags: ['sandbox'],
}, async () => {
  await withOverlay('record', async (shell) => {
    await using overlay = new Overlay({ root: shell.root });
    await overlay.changes();
  });
  const other = withOverlay('replay', async (shell) => {
    await using overlay = new Overlay({ root: shell.root });
    await expect(overlay.diff()).rejects.toThrow('CASSETTE_MISS');
  });
  await expect(other).rejects.toThrow('- ["overlay 1","changes"]');
  await expect(withOverlay('replay', async () => {})).rejects.toThrow('CASSETTE_UNUSED');
});

it('an overlay of fakes has no changes', async () => {
  await withShell('x', { mode: 'fakes' }, async (shell) => {
    await using overlay = new Overlay({ root: shell.root });
    shell.fake('fix', 'fixed\n');
    expect((await run('fix', { overlay })).stdout).toBe('fixed\n');
    expect(await overlay.changes()).toEqual([]);
    expect(await overlay.diff()).toBe('');
  });
});

it('a toolset in an overlay answers from a recording, with the same description', {
  tags: ['sandbox'],
}, async () => {
  const act = async (shell: TestShell) => {
    await using overlay = new Overlay({ root: shell.root });
    const toolset = createTools('bash', { root: shell.root, overlay });
    const { text } = await toolset.call('bash', { command: 'echo hi | tee new' });
    await toolset.dispose();
    const about = toolset.tools[0]?.description.replaceAll(shell.root, 'ROOT');
    return { text, about };
  };
  const recorded = await withOverlay('record', act);
  expect(recorded.text).toContain('hi');
  expect(await withOverlay('replay', act)).toEqual(recorded);
});

it('a command that runs refuses an overlay of fakes by its name', async () => {
  await withShell('x', { mode: 'fakes' }, async (shell) => {
    await using overlay = new Overlay({ root: shell.root });
    const live = withShell('y', { mode: 'live' }, () => run('true', { overlay }));
    await expect(live).rejects.toThrow("Invalid option 'options.overlay'");
  });
});
