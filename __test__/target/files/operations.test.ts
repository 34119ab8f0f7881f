import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run, Target } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { until } from '../../support/processes.mjs';
import { shellTarget } from '../shell-target.js';

/** A target that is disposed at the end of the test, and an empty directory there. */
function newPlace(): { target: Target; directory: string; at: (name: string) => string } {
  const target = new Target(shellTarget().options);
  onTestFinished(() => target.dispose());
  const directory = temporaryDirectory();
  return { target, directory, at: (name) => join(directory, name) };
}

const bytes = (size: number) => Buffer.from(Array.from({ length: size }, (_, index) => index % 251));

describe.skipIf(process.platform !== 'linux')('a file of a target', () => {
  it('is read, whole or in part', async () => {
    const { target, at } = newPlace();
    const content = bytes(700_000);
    writeFileSync(at('file'), content);
    expect((await target.read(at('file'))).equals(content)).toBe(true);
    expect((await target.read(at('file'), { from: 5, maxBytes: 3 })).equals(content.subarray(5, 8))).toBe(
      true,
    );
    const rest = await target.read(at('file'), { from: 300_000, maxBytes: 600_000 });
    expect(rest.equals(content.subarray(300_000))).toBe(true);
    expect(await target.read(at('file'), { from: 1e9 })).toHaveLength(0);
    expect(await target.read(at('file'), { maxBytes: 0 })).toHaveLength(0);
    // The system says that it has no bytes.
    expect((await target.read('/proc/self/status')).toString()).toMatch(/^Name:/);
  });

  it('that is larger than what is read by default is an error, and not cut', async () => {
    const { target, at } = newPlace();
    execFileSync('truncate', ['-s', String(64 * 1024 * 1024 + 1), at('large')]);
    await expect(target.read(at('large'))).rejects.toMatchObject({ code: 'ERR_FS_FILE_TOO_LARGE' });
    expect(await target.read(at('large'), { maxBytes: 1_000 })).toHaveLength(1_000);
  });

  it('is written, with the permissions that were there or are given', async () => {
    const { target, at } = newPlace();
    await target.write(at('file'), 'text', { mode: 0o640 });
    expect(statSync(at('file')).mode & 0o7777).toBe(0o640);
    await target.write(at('file'), 'other text');
    expect([readFileSync(at('file'), 'utf8'), statSync(at('file')).mode & 0o777]).toEqual([
      'other text',
      0o640,
    ]);
    const { ino } = statSync(at('file'));
    await target.write(at('file'), 'new', { atomic: true });
    expect([readFileSync(at('file'), 'utf8'), statSync(at('file')).mode & 0o777]).toEqual(['new', 0o640]);
    expect(statSync(at('file')).ino).not.toBe(ino);
    const { stdout: umask } = await run('umask', { target });
    await target.write(at('fresh'), bytes(700_000), { atomic: true });
    expect(statSync(at('fresh')).mode & 0o777).toBe(0o666 & ~Number.parseInt(umask, 8));
    expect(readFileSync(at('fresh')).equals(bytes(700_000))).toBe(true);
    await target.write(at('fresh'), '');
    expect(statSync(at('fresh')).size).toBe(0);
    expect((await target.list(at('.'))).map(({ name }) => name)).toEqual(['file', 'fresh']);
  });

  it('fails as those of node:fs do', async () => {
    const { target, directory, at } = newPlace();
    mkdirSync(at('full/inner'), { recursive: true });
    writeFileSync(at('file'), '');
    execFileSync('mkfifo', [at('pipe')]);
    const failing: [string, () => Promise<unknown>][] = [
      ['ENOENT', () => target.read(at('none'))],
      ['EISDIR', () => target.read(directory)],
      ['ENOTDIR', () => target.read(at('file/x'))],
      ['NOT_A_FILE', () => target.read(at('pipe'))],
      ['NOT_A_FILE', () => target.write(at('pipe'), 'x')],
      ['EISDIR', () => target.write(at('full'), 'x')],
      ['EISDIR', () => target.write(at('full'), 'x', { atomic: true })],
      ['ENOENT', () => target.write(at('none/x'), 'x')],
      ['EEXIST', () => target.mkdir(at('full'))],
      ['ENOENT', () => target.mkdir(at('none/x'))],
      ['EEXIST', () => target.mkdir(at('file'), { recursive: true })],
      ['ENOTEMPTY', () => target.remove(at('full'))],
      ['ENOENT', () => target.remove(at('none'), { recursive: true })],
      ['ENOTDIR', () => target.list(at('file'))],
    ];
    for (const [code, operation] of failing) await expect(operation()).rejects.toMatchObject({ code });
    await expect(target.read(at('none'))).rejects.toMatchObject({
      message: `ENOENT: no such file or directory, read '${at('none')}'`,
      path: at('none'),
      syscall: 'read',
    });
    await target.remove(at('none'), { force: true });
    await target.mkdir(at('full'), { recursive: true });
    await target.remove(at('full'), { recursive: true });
    expect(existsSync(at('full'))).toBe(false);
  });

  it('is described with the facts of node:fs', async () => {
    const { target, at } = newPlace();
    writeFileSync(at('file'), 'text');
    symlinkSync('file', at('link'));
    const { mode, size, blocks, dev, ino, nlink, uid, gid, mtimeMs } = statSync(at('file'));
    const found = await target.stat(at('link'));
    expect(found).toMatchObject({ type: 'file', mode, size, blocks, dev, ino, nlink, uid, gid });
    expect(found.mtimeMs).toBeCloseTo(mtimeMs, 2);
    expect(found.mtime).toEqual(new Date(found.mtimeMs));
    expect([found.isFile(), found.isDirectory(), found.isSymbolicLink()]).toEqual([true, false, false]);
    const link = await target.stat(at('link'), { followLinks: false });
    expect([link.type, link.ino]).toEqual(['symlink', lstatSync(at('link')).ino]);
  });

  it('may have any name', async () => {
    const { target, directory, at } = newPlace();
    const names = ['-rf', 'a\nb', ' \'"$x', '\u00fc'];
    for (const name of names) await target.write(at(name), name);
    const wrong = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff, 0x0a])]);
    await target.write(wrong, 'bytes');
    symlinkSync('nowhere\n', at('z'));
    const entries = await target.list(directory);
    expect(entries.map(({ name }) => name)).toEqual([' \'"$x', '-rf', 'a\nb', 'z', '\u00fc', '\ufffd\n']);
    expect(entries.at(-1)?.raw).toEqual(Buffer.from([0xff, 0x0a]));
    expect(entries[3]).toMatchObject({ type: 'symlink', linkTarget: 'nowhere\n', raw: null });
    for (const name of names) expect((await target.read(at(name))).toString()).toBe(name);
    expect((await target.read(wrong)).toString()).toBe('bytes');
    await target.remove(wrong);
    await target.remove(at('-rf'));
    expect(await target.list(directory)).toHaveLength(4);
  });

  it('outside of the root is not reached, by whatever path', async () => {
    const { target, directory, at } = newPlace();
    mkdirSync(at('root/in'), { recursive: true });
    writeFileSync(at('secret'), 'secret');
    writeFileSync(at('root/in/file'), 'text');
    symlinkSync('../secret', at('root/link'));
    symlinkSync(directory, at('root/out'));
    symlinkSync(at('root/in'), at('root/near'));
    const root = at('root');
    expect((await target.read('near/file', { root })).toString()).toBe('text');
    expect((await target.read(at('root/in/file'), { root })).toString()).toBe('text');
    for (const path of ['link', 'out/secret', '../secret', at('secret'), 'in/../../secret']) {
      const outside = { code: 'PATH_OUTSIDE', path };
      await expect(target.read(path, { root }), path).rejects.toMatchObject(outside);
      await expect(target.write(path, 'x', { root }), path).rejects.toMatchObject(outside);
      await expect(target.write(path, 'x', { root, atomic: true }), path).rejects.toMatchObject(outside);
      await expect(target.stat(path, { root }), path).rejects.toMatchObject(outside);
    }
    await expect(target.list('out', { root })).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
    await expect(target.mkdir('out/x/y', { root, recursive: true })).rejects.toMatchObject({
      code: 'PATH_OUTSIDE',
    });
    await expect(target.remove('out/secret', { root })).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
    const copy = target.copyFrom('out', at('copy'), { root });
    await expect(copy).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
    // A link itself is in the root.
    await target.remove('out', { root });
    expect(readFileSync(at('secret'), 'utf8')).toBe('secret');
    expect((await target.list(directory)).map(({ name }) => name)).toEqual(['root', 'secret']);
  });

  it('is refused with the name of a wrong argument', async () => {
    const { target } = newPlace();
    await expect(target.read('')).rejects.toThrow("Invalid option 'path': expected a path");
    await expect(target.read('a\0b')).rejects.toThrow('without null bytes');
    await expect(target.read('/x', { maxBytes: -1 })).rejects.toThrow("'options.maxBytes'");
    await expect(target.write('/x', 5 as never)).rejects.toThrow("'data': expected a string or a Uint8Array");
    await expect(target.write('/x', '', { mode: 0o1777 })).rejects.toThrow("'options.mode'");
    await expect(target.list('/x', { root: 'relative' })).rejects.toThrow("'options.root'");
    await expect(target.stat('/x', { follow: true } as never)).rejects.toThrow("'options.follow'");
    expect(target.state).toBe('new');
  });

  it('is one of many at once, beside a command', async () => {
    const { target, at } = newPlace();
    const names = Array.from({ length: 500 }, (_, index) => at(`file-${index}`));
    const command = run('echo here', { target });
    await Promise.all(names.map((name) => target.write(name, name)));
    const read = await Promise.all(names.map((name) => target.read(name)));
    expect(read.map(String)).toEqual(names);
    expect((await command).stdout).toBe('here\n');
  });

  it('keeps the connection open no longer than a command does', async () => {
    const target = new Target({ ...shellTarget().options, idle: 100 });
    onTestFinished(() => target.dispose());
    for (let round = 0; round < 3; round++) {
      expect((await target.read('/etc/passwd')).length).toBeGreaterThan(0);
      await until(() => target.state === 'new', 'the connection has ended');
    }
  });

  it('is given up when the signal fires, and when the target is disposed', async () => {
    const { target, at } = newPlace();
    const reason = new Error('enough');
    await expect(target.read('/etc/passwd', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const read = target.read('/etc/passwd', { signal: controller.signal });
    controller.abort(reason);
    await expect(read).rejects.toBe(reason);
    const open = Promise.allSettled([target.read('/etc/passwd'), target.write(at('x'), bytes(3_000_000))]);
    await target.dispose();
    for (const result of await open) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'TARGET_CLOSED' });
    }
    await expect(target.read('/etc/passwd')).rejects.toMatchObject({ code: 'TARGET_CLOSED' });
  });

  it('can be read where a directory may not be listed', async () => {
    const { target, at } = newPlace();
    mkdirSync(at('closed'));
    writeFileSync(at('closed/file'), 'text');
    chmodSync(at('closed'), 0o311);
    expect((await target.read(at('closed/file'))).toString()).toBe('text');
    chmodSync(at('closed'), 0o700);
  });
});
