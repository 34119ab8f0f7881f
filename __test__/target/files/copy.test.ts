import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { newTarget } from '../shell-target.js';

/** Describes all files below a directory. */
function described(top: string): string[] {
  const names = readdirSync(top, { recursive: true }).map(String).sort();
  return ['.', ...names].map((name) => {
    const path = join(top, name);
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
    const content = stat.isFile() ? readFileSync(path).toString('latin1').slice(0, 50) : '';
    return `${name} ${stat.mode.toString(8)} ${stat.mtimeMs} ${stat.isFile() ? stat.size : ''} ${content}`;
  });
}

/** Makes a tree with everything that a copy keeps. */
function newTree(): string {
  const top = join(temporaryDirectory(), 'tree');
  const at = (name: string) => join(top, name);
  mkdirSync(at('deep/er'), { recursive: true });
  mkdirSync(at('empty'));
  for (let index = 0; index < 300; index++) writeFileSync(at(`deep/er/${index}`), `file ${index}`);
  writeFileSync(at('large'), Buffer.alloc(3_000_001, 'large '));
  writeFileSync(at('-rf\n'), 'hostile name');
  linkSync(at('large'), at('other-name'));
  linkSync(at('deep/er/7'), at('deep/seven'));
  symlinkSync('deep/er', at('link'));
  symlinkSync('/etc/passwd', at('far'));
  symlinkSync('nowhere', at('dangling'));
  for (const name of ['deep/er/1', 'large', 'deep/er', 'deep', 'empty', '.']) {
    utimesSync(at(name), 1_000_000, 1_234_567.125);
  }
  chmodSync(at('deep/er/2'), 0o751);
  chmodSync(at('deep/er'), 0o555);
  onTestFinished(() => chmodSync(at('deep/er'), 0o755));
  return top;
}

describe.skipIf(process.platform !== 'linux')('a copy', () => {
  it('of a tree is the same in both directions', async () => {
    const target = newTarget();
    const tree = newTree();
    const directory = temporaryDirectory();
    const expected = { files: 304, directories: 4, links: 3, resumedBytes: 0, skipped: [] };
    for (const [name, report] of [
      ['there', await target.copyTo(tree, join(directory, 'there'))],
      ['here', await target.copyFrom(tree, join(directory, 'here'))],
    ] as const) {
      const copy = join(directory, name);
      onTestFinished(() => chmodSync(join(copy, 'deep/er'), 0o755));
      expect(report).toMatchObject(expected);
      expect(described(copy)).toEqual(described(tree));
      expect(statSync(join(copy, 'large')).ino).toBe(statSync(join(copy, 'other-name')).ino);
      expect(statSync(join(copy, 'deep/er/7')).ino).toBe(statSync(join(copy, 'deep/seven')).ino);
    }
  });

  it('of a file makes the directories above it, and takes its place at once', async () => {
    const target = newTarget();
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    writeFileSync(at('file'), 'text');
    expect(await target.copyTo(at('file'), at('a/b/copy'))).toMatchObject({ files: 1, bytes: 4 });
    writeFileSync(at('a/b/copy'), 'changed there');
    await target.copyTo(at('file'), at('a/b/copy'));
    expect(readFileSync(at('a/b/copy'), 'utf8')).toBe('text');
    expect(readdirSync(at('a/b'))).toEqual(['copy']);
    await expect(target.copyTo(at('file'), at('a'))).rejects.toMatchObject({ code: 'EISDIR', path: at('a') });
    await expect(target.copyTo(at('none'), at('x'))).rejects.toMatchObject({
      code: 'ENOENT',
      path: at('none'),
      message: expect.stringMatching(/'[^']*none' on this machine$/),
    });
  });

  it('of a directory leaves the other entries of one that is there', async () => {
    const target = newTarget();
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    mkdirSync(at('from/sub'), { recursive: true });
    writeFileSync(at('from/sub/new'), 'new');
    mkdirSync(at('to/sub'), { recursive: true });
    writeFileSync(at('to/sub/old'), 'old');
    await target.copyFrom(at('from'), at('to'));
    expect(readdirSync(at('to/sub')).sort()).toEqual(['new', 'old']);
  });

  it('follows no link below its two paths', async () => {
    const target = newTarget();
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    mkdirSync(at('outside'));
    mkdirSync(at('from/a'), { recursive: true });
    writeFileSync(at('from/a/file'), 'text');
    writeFileSync(at('from/b'), 'text');
    mkdirSync(at('to'));
    symlinkSync(at('outside'), at('to/a'));
    symlinkSync(at('outside/b'), at('to/b'));
    await expect(target.copyFrom(at('from'), at('to'))).rejects.toMatchObject({ code: 'EEXIST' });
    await target.copyFrom(at('from/b'), at('to/c'));
    expect(readdirSync(at('outside'))).toEqual([]);
  });

  it('keeps holes, and takes no time for them', async () => {
    const target = newTarget();
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    execFileSync('truncate', ['-s', '1G', at('sparse')]);
    const write = `printf middle | dd of=sparse bs=1 seek=500000000 conv=notrunc 2>/dev/null`;
    execFileSync('sh', ['-c', write], { cwd: directory });
    for (const [from, to] of [
      ['sparse', 'copy'],
      ['copy', 'again'],
    ] as const) {
      const copy = to === 'copy' ? target.copyTo(at(from), at(to)) : target.copyFrom(at(from), at(to));
      expect(await copy).toMatchObject({ bytes: 2 ** 30 });
      const { size, blocks } = statSync(at(to));
      expect(size).toBe(2 ** 30);
      expect(blocks).toBeLessThan(1_000);
      expect(await target.read(at(to), { from: 500_000_000, maxBytes: 6 })).toEqual(Buffer.from('middle'));
    }
  });

  it('leaves pipes and sockets out, and says which', async () => {
    const target = newTarget();
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'from/a'), { recursive: true });
    execFileSync('mkfifo', [join(directory, 'from/a/pipe')]);
    const report = await target.copyTo(join(directory, 'from'), join(directory, 'to'));
    expect(report).toMatchObject({ directories: 2, files: 0, skipped: ['a/pipe'] });
    const pipe = target.copyTo(join(directory, 'from/a/pipe'), join(directory, 'x'));
    await expect(pipe).rejects.toMatchObject({ code: 'NOT_A_FILE' });
  });

  it('gives no permissions away that only a user can', async () => {
    const target = newTarget();
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'from'), '');
    chmodSync(join(directory, 'from'), 0o4755);
    await target.copyFrom(join(directory, 'from'), join(directory, 'to'));
    expect(statSync(join(directory, 'to')).mode & 0o7777).toBe(0o755);
  });

  it('tells its progress, and leaves nothing after an abort', async () => {
    const target = newTarget();
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    execFileSync('sh', ['-c', 'head -c 600000000 /dev/zero | tr "\\0" x >from'], { cwd: directory });
    for (const to of ['there', 'here'] as const) {
      const controller = new AbortController();
      const seen: number[] = [];
      const options = {
        signal: controller.signal,
        onProgress({ bytes, totalBytes }: { bytes: number; totalBytes: number }) {
          expect(totalBytes).toBe(600_000_000);
          seen.push(bytes);
          if (bytes > 10_000_000) controller.abort();
        },
      };
      const copy =
        to === 'there'
          ? target.copyTo(at('from'), at(to), options)
          : target.copyFrom(at('from'), at(to), options);
      await expect(copy).rejects.toMatchObject({ name: 'AbortError' });
      expect(seen.length).toBeGreaterThan(0);
      expect(readdirSync(directory)).toEqual(['from']);
    }
    expect((await run('echo here', { target })).stdout).toBe('here\n');
  });

  it('that fails leaves no part of a file', async () => {
    const target = newTarget();
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    writeFileSync(at('from'), Buffer.alloc(2_000_000));
    mkdirSync(at('to'));
    await expect(target.copyTo(at('from'), at('to'))).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(target.copyFrom(at('from'), at('to'))).rejects.toMatchObject({ code: 'EISDIR' });
    expect(readdirSync(directory).sort()).toEqual(['from', 'to']);
    expect(existsSync(at('to'))).toBe(true);
  });
});
