import { execFileSync } from 'node:child_process';
import {
  existsSync,
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
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/directory.js';
import { otherSystem, SHELLS } from '../degraded/other-system.js';

const WITHOUT_ZSH = SHELLS.filter(([name]) => name !== 'zsh');

describe.skipIf(process.platform !== 'linux').each(WITHOUT_ZSH)('files by %s alone', (_, shell) => {
  it('are read, written, listed and removed', async () => {
    const { target } = otherSystem({ shell });
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    await target.write(at('file'), content, { mode: 0o640 });
    expect((await target.read(at('file'))).equals(content)).toBe(true);
    expect(await target.read(at('file'), { from: 1_001, maxBytes: 5 })).toEqual(
      content.subarray(1_001, 1_006),
    );
    const { ino } = statSync(at('file'));
    await target.write(at('file'), 'new', { atomic: true });
    expect([readFileSync(at('file'), 'utf8'), statSync(at('file')).mode & 0o777]).toEqual(['new', 0o640]);
    expect(statSync(at('file')).ino).not.toBe(ino);
    await target.mkdir(at('a/b'), { recursive: true });
    await target.mkdir(at('a/b'), { recursive: true });
    symlinkSync('file', at('link'));
    const wrong = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff, 0x0a])]);
    for (const name of ['-rf', "it's\na $name"]) await target.write(at(name), name);
    await target.write(wrong, 'bytes');
    const entries = await target.list(directory);
    const names = entries.map(({ name, type }) => `${name} ${type}`);
    const expected = [
      '-rf file',
      'a directory',
      'file file',
      "it's\na $name file",
      'link symlink',
      '\ufffd\n file',
    ];
    expect(names).toEqual(expected);
    expect(entries[4]?.linkTarget).toBe('file');
    expect(await target.stat(at('link'))).toMatchObject({ type: 'file', size: 3 });
    expect((await target.read(wrong)).toString()).toBe('bytes');
    await target.remove(wrong);
    await target.remove(at('-rf'));
    await target.remove(at('a'), { recursive: true });
    expect(readdirSync(directory).sort()).toEqual(['file', "it's\na $name", 'link']);
  });

  it('have the errors that a shell can find out', async () => {
    const { target } = otherSystem({ shell });
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    mkdirSync(at('root/in'), { recursive: true });
    writeFileSync(at('root/file'), '');
    symlinkSync('..', at('root/out'));
    execFileSync('mkfifo', [at('root/pipe')]);
    const root = at('root');
    const failing: [string, () => Promise<unknown>][] = [
      ['ENOENT', () => target.read('none', { root })],
      ['ENOENT', () => target.write('none/x', 'x', { root })],
      ['EISDIR', () => target.read('in', { root })],
      ['NOT_A_FILE', () => target.read('pipe', { root })],
      ['ENOTDIR', () => target.list('file', { root })],
      ['EEXIST', () => target.mkdir('file', { root })],
      ['ENOTEMPTY', () => target.remove(root)],
      ['PATH_OUTSIDE', () => target.read('out/secret', { root })],
      ['PATH_OUTSIDE', () => target.write('../x', 'x', { root })],
    ];
    for (const [code, operation] of failing) await expect(operation(), code).rejects.toMatchObject({ code });
  });

  it('are copied with permissions, times and links', async () => {
    const { target } = otherSystem({ shell });
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    mkdirSync(at('from/sub'), { recursive: true });
    writeFileSync(at('from/sub/large'), Buffer.alloc(600_000, 'large '), { mode: 0o600 });
    writeFileSync(at('from/-f'), 'text', { mode: 0o755 });
    symlinkSync('nowhere', at('from/link'));
    utimesSync(at('from/sub/large'), 1_000, 2_000);
    await target.copyTo(at('from'), at('there'));
    const report = await target.copyFrom(at('there'), at('here'));
    expect(report).toMatchObject({ files: 2, directories: 2, links: 1, bytes: 600_004 });
    for (const copy of ['there', 'here']) {
      const large = statSync(at(`${copy}/sub/large`));
      expect([large.mode & 0o777, large.mtimeMs, large.size]).toEqual([0o600, 2_000_000, 600_000]);
      expect(readFileSync(at(`${copy}/sub/large`)).equals(readFileSync(at('from/sub/large')))).toBe(true);
      expect(statSync(at(`${copy}/-f`)).mode & 0o777).toBe(0o755);
      expect(readlinkSync(at(`${copy}/link`))).toBe('nowhere');
      expect(readdirSync(at(copy)).sort()).toEqual(['-f', 'link', 'sub']);
    }
    expect(existsSync(at('nowhere'))).toBe(false);
  });
});
