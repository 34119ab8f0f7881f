import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Overlay, run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { lines, overlayOver, tree } from './support.js';

/** Returns a copy of a layer, as after a host that was killed, without the kernel's own directory. */
function copyOfLayer(directory: string): string {
  const copy = join(temporaryDirectory(), 'copy');
  mkdirSync(copy, { mode: 0o700 });
  for (const name of readdirSync(directory).filter((name) => name !== 'work'))
    execFileSync('cp', ['-a', join(directory, name), copy]);
  return copy;
}

// Ways by which a commit could remove or overwrite what the host has.
describe('a commit of an overlay', { tags: ['sandbox'] }, () => {
  it('keeps a file that the host removes and creates again after its deletion inside', async () => {
    const { overlay, at } = overlayOver({ f: 'one', g: 'one' });
    await run('rm f', { overlay });
    rmSync(at('f'));
    expect(await overlay.changes()).toEqual([]);
    writeFileSync(at('f'), 'the host’s');
    await run('echo two > g', { overlay });
    expect((await overlay.conflicts()).map(({ path }) => path)).toEqual(['f']);
    await overlay.commit({ onConflict: 'skip' });
    expect(readFileSync(at('f'), 'utf8')).toBe('the host’s');
  });

  it('keeps a file that the host creates again in place of a committed one that is gone inside', async () => {
    const { overlay, at } = overlayOver({});
    await using session = new ShellSession({ overlay, sandbox: 'workspace-write' });
    await session.run('echo 1 > f');
    await overlay.commit();
    rmSync(at('f'));
    await session.run('rm -f f');
    await overlay.changes();
    writeFileSync(at('f'), 'the host’s');
    await session.run('true');
    await overlay.commit({ onConflict: 'skip' });
    expect(readFileSync(at('f'), 'utf8')).toBe('the host’s');
  });

  it('keeps objects of git that the host writes into a directory that a command has removed', async () => {
    const { overlay, at } = overlayOver({ '.git/objects/ab/1': 'o' });
    const sandbox = { level: 'workspace-write', git: 'all' } as const;
    await run('rm -r .git/objects/ab', { overlay, sandbox });
    writeFileSync(at('.git/objects/ab/2'), 'new');
    await overlay.commit({ onConflict: 'skip' });
    expect(readFileSync(at('.git/objects/ab/2'), 'utf8')).toBe('new');
  });

  it('takes no committed file for deleted when its layer was emptied', async () => {
    const directory = join(temporaryDirectory(), 'layer');
    const { root, overlay, at } = overlayOver({ keep: 'k' }, { directory });
    const session = new ShellSession({ overlay, sandbox: 'workspace-write' });
    await session.run('mkdir d; echo 1 > d/f; echo 2 > g');
    await overlay.commit({ paths: ['d'] });
    const before = tree(root);
    const copy = copyOfLayer(directory);
    await session.close();
    rmSync(join(copy, 'upper'), { recursive: true });
    mkdirSync(join(copy, 'upper'));
    const other = new Overlay({ root, directory: copy });
    expect(await other.changes()).toEqual([]);
    await other.commit();
    expect(tree(root)).toEqual(before);
    expect(existsSync(at('d/f'))).toBe(true);
  });

  it('reports a file that the host creates in a directory whose removal has failed', async () => {
    const { overlay, at } = overlayOver({ 'd/f': 'one' });
    await run('rm -r d', { overlay });
    writeFileSync(at('d/new'), 'the host’s');
    await overlay.commit({ onConflict: 'skip' }).catch(() => {});
    await expect(overlay.commit()).rejects.toMatchObject({ code: 'OVERLAY_CONFLICT' });
    expect(readFileSync(at('d/new'), 'utf8')).toBe('the host’s');
  });

  it.each([
    [
      'of another root',
      (copy: string) => [temporaryDirectory(), copy],
      /'.*' is a layer over '.*workspace', and not over/,
    ],
    [
      'with a record that is damaged',
      (copy: string, root: string) => {
        appendFileSync(join(copy, 'record'), 'x');
        return [root, copy];
      },
      /record' is damaged/,
    ],
  ] as const)('takes no layer %s', async (_, change, message) => {
    const directory = join(temporaryDirectory(), 'layer');
    const { root, overlay } = overlayOver({ a: '1' }, { directory });
    await run('echo 2 > a', { overlay });
    const [other, layer] = change(copyOfLayer(directory), root) as [string, string];
    const refused = new Overlay({ root: other, directory: layer });
    await expect(refused.changes()).rejects.toMatchObject({ code: 'OVERLAY_FAILED', message });
    await expect(refused.commit()).rejects.toMatchObject({ code: 'OVERLAY_FAILED' });
    expect(tree(other)).toEqual(other === root ? { a: '644 1' } : {});
  });

  it('keeps what is mounted below the root', { tags: ['root'] }, async () => {
    const { root } = overlayOver({});
    const script = `
      import { Overlay, run } from ${JSON.stringify(new URL('../../index.js', import.meta.url).pathname)};
      import { execFileSync } from 'node:child_process';
      import { readdirSync, mkdirSync, writeFileSync } from 'node:fs';
      const root = ${JSON.stringify(root)};
      mkdirSync(root + '/data');
      execFileSync('mount', ['-t', 'tmpfs', 'none', root + '/data']);
      writeFileSync(root + '/data/precious', '1');
      const overlay = new Overlay({ root });
      const { stdout } = await run('ls data; rmdir data', { overlay });
      const error = await overlay.commit().then(() => null, ({ code }) => code);
      console.log(JSON.stringify({ stdout, error, left: readdirSync(root + '/data') }));
      await overlay.discard();
    `;
    const words = ['--mount', process.execPath, '--input-type=module', '-e', script];
    const printed = execFileSync('unshare', words, { encoding: 'utf8' });
    expect(JSON.parse(printed)).toMatchObject({ stdout: '', left: ['precious'] });
  });

  it('reports a save by rename when the host was killed before it saw the deletion', async () => {
    const directory = join(temporaryDirectory(), 'layer');
    const { root, overlay, at } = overlayOver({ f: 'one' }, { directory });
    await run('rm f', { overlay });
    const copy = copyOfLayer(directory);
    rmSync(join(copy, 'record'), { force: true });
    writeFileSync(at('f.new'), 'two');
    renameSync(at('f.new'), at('f'));
    const other = new Overlay({ root, directory: copy });
    expect(await lines(other)).toEqual(['file f deleted']);
    await expect(other.commit()).rejects.toMatchObject({ code: 'OVERLAY_CONFLICT' });
    expect(readFileSync(at('f'), 'utf8')).toBe('two');
    await other.discard();
  });
});
