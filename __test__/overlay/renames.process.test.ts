import { chmodSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Overlay, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { git, lines, overlayOver, tree } from './support.js';

const FILES = { 'd/a': '1', 'd/e/b': '2', 'd/e/f/c': '3', 'other/x': 'x' };

/** Renames by the system call, without the copy that `mv` makes. */
const rename = (from: string, to: string) => [
  process.execPath,
  '-e',
  `try { fs.renameSync(${JSON.stringify(from)}, ${JSON.stringify(to)}) } catch (e) { console.log(e.code) }`,
];

describe('a rename of a directory in an overlay', { tags: ['sandbox'] }, () => {
  it('has the result that it has without one', async () => {
    const { root, overlay, at } = overlayOver(FILES);
    symlinkSync('../a', at('d/e/link'));
    chmodSync(at('d/e'), 0o750);
    utimesSync(at('d/e'), 1e9, 1e9);
    expect((await run(rename('d', 'other/moved'), { overlay })).stdout).toBe('');
    const { stdout } = await run('cat other/moved/a other/moved/e/f/c; ls; stat -c %a,%Y other/moved/e', {
      overlay,
    });
    expect(stdout).toBe('13other\n750,1000000000\n');
    await overlay.commit();
    expect(Object.keys(tree(root))).toEqual([
      'other',
      'other/moved',
      'other/moved/a',
      'other/moved/e',
      'other/moved/e/b',
      'other/moved/e/f',
      'other/moved/e/f/c',
      'other/moved/e/link',
      'other/x',
    ]);
    expect(statSync(at('other/moved/e')).mode & 0o777).toBe(0o750);
  });

  it('moves directories that their owner cannot write', async () => {
    const { overlay, at } = overlayOver(FILES);
    chmodSync(at('d/e/f'), 0o500);
    expect((await run(rename('d', 'other/moved'), { overlay })).stdout).toBe('');
    const { stdout } = await run('stat -c %a other/moved/e/f; cat other/moved/e/f/c; ls', { overlay });
    expect(stdout).toBe('500\n3other\n');
    chmodSync(at('d/e/f'), 0o700);
  });

  it('works for git mv, below a directory that was renamed before, and after a commit', async () => {
    const { root, overlay, at } = overlayOver(FILES);
    git(root, 'init', '-q');
    git(root, 'add', '.');
    git(root, 'commit', '-qm', 'first');
    const moves = await run('git mv d/e d/g && git mv d n && git mv n/g/f n/h && git status --short', {
      overlay,
    });
    expect(moves).toMatchObject({ exitCode: 0, stderr: '' });
    expect(moves.stdout).toBe('R  d/a -> n/a\nR  d/e/b -> n/g/b\nR  d/e/f/c -> n/h/c\n');
    await overlay.commit();
    expect(git(root, 'status', '--short')).toBe(moves.stdout);
    expect(tree(at('n'))).toMatchObject({ a: '644 1', 'g/b': '644 2', 'h/c': '644 3' });
  });

  it('gives the errors of the kernel, and changes nothing then', async () => {
    const { root, overlay } = overlayOver({ ...FILES, 'full/x': '1', file: '1' });
    mkdirSync(join(root, 'empty'));
    const results = [];
    for (const [from, to] of [
      ['d', 'full'],
      ['d', 'file'],
      ['d', 'd/e/x'],
      ['file', 'empty'],
      ['d', 'missing/x'],
      ['none', 'x'],
    ] as const) {
      results.push((await run(rename(from, to), { overlay })).stdout.trim());
    }
    expect(results).toEqual(['ENOTEMPTY', 'ENOTDIR', 'EINVAL', 'EISDIR', 'ENOENT', 'ENOENT']);
    expect(await lines(overlay)).toEqual([]);
    expect((await run(rename('d', 'empty'), { overlay })).stdout).toBe('');
    expect((await run('ls empty', { overlay })).stdout).toBe('a\ne\n');
  });

  it('is refused where a protected path is below it', async () => {
    const { overlay } = overlayOver({ ...FILES, 'd/memo/note': '1' });
    const sandbox = { level: 'workspace-write', protected: ['d/memo'] } as const;
    const { stdout } = await run(rename('d', 'n'), { overlay, sandbox });
    expect(['EBUSY\n', 'EXDEV\n']).toContain(stdout);
    expect(await lines(overlay)).toEqual([]);
  });

  it('works in a private home too', async () => {
    const home = temporaryDirectory();
    const root = temporaryDirectory();
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), text);
    }
    const options = { root, sandbox: 'workspace-write', env: { HOME: home } } as const;
    expect((await run(rename(join(home, 'd'), join(home, 'n')), options)).stdout).toBe('');
    expect((await run('cat ~/n/e/f/c; ls ~', options)).stdout).toBe('3n\nother\n');
    expect(Object.keys(tree(home))).toContain('d/e/f/c');
    const overlay = new Overlay({ root });
    expect((await run('cat ~/n/a', { ...options, overlay })).stdout).toBe('1');
    await overlay.discard();
  });
});
