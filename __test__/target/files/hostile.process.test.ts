import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Target } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { newTarget } from '../shell-target.js';

const DIRECTIONS = ['copyTo', 'copyFrom'] as const;

/** Copies in one of the directions, which have their paths in the same order. */
function copy(target: Target, direction: (typeof DIRECTIONS)[number], from: string, to: string) {
  return target[direction](from, to);
}

/** A directory with `from`, and `outside/file`, which no copy may reach. */
function newPlace() {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  mkdirSync(at('from'));
  mkdirSync(at('outside'));
  writeFileSync(at('outside/file'), 'safe');
  const expectSafe = () => {
    expect(readdirSync(at('outside'))).toEqual(['file']);
    expect(readFileSync(at('outside/file'), 'utf8')).toBe('safe');
  };
  return { at, expectSafe };
}

/** Makes a directory and a link to another one change places again and again, until the test ends. */
function swapping(path: string, other: string): Promise<void> {
  const program = `
    const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
    const { parentPort, workerData } = require('node:worker_threads');
    const { path, other } = workerData;
    parentPort.postMessage('runs');
    for (;;) {
      try {
        renameSync(path, path + '.away');
        symlinkSync(other, path);
        unlinkSync(path);
        renameSync(path + '.away', path);
      } catch {
        // The copy has made a directory in between: its name becomes free again.
        try { renameSync(path, path + '.made-' + process.hrtime.bigint()); } catch {}
        try { renameSync(path + '.away', path); } catch {}
      }
    }
  `;
  const worker = new Worker(program, { eval: true, workerData: { path, other } });
  onTestFinished(async () => {
    await worker.terminate();
  });
  return new Promise((resolve) => worker.once('message', () => resolve()));
}

describe.skipIf(process.platform !== 'linux').each(DIRECTIONS)('%s', (direction) => {
  it('keeps names of any bytes', async () => {
    const { at } = newPlace();
    const names = [
      ...['-rf', '--', '*', ' ', '~', '$HOME', '`id`', "'", '"', '\\', 'a\nb', '\u001b[2J', '..a', '...'],
      Buffer.from([0xff]),
      Buffer.from([0xc3, 0x28, 0x0a]),
      'x'.repeat(255),
    ].map((name) => Buffer.from(name));
    for (const name of names) {
      const path = Buffer.concat([Buffer.from(`${at('from')}/`), name]);
      mkdirSync(path);
      writeFileSync(Buffer.concat([path, Buffer.from('/'), name]), name);
    }
    const report = await copy(newTarget(), direction, at('from'), at('to'));
    expect(report).toMatchObject({ files: names.length, directories: names.length + 1 });
    const copied = readdirSync(at('to'), 'buffer');
    expect(copied.sort(Buffer.compare)).toEqual(names.sort(Buffer.compare));
    for (const name of names) {
      const path = Buffer.concat([Buffer.from(`${at('to')}/`), name, Buffer.from('/'), name]);
      expect(readFileSync(path)).toEqual(name);
    }
  });

  it('copies links as they are, wherever they lead, and follows none', async () => {
    const { at, expectSafe } = newPlace();
    const links = ['/etc/passwd', '../outside', '../../../../../../etc', '.', 'itself', 'no\nsuch', '/'];
    links.forEach((to, index) => {
      symlinkSync(to, at(index === 4 ? 'from/itself' : `from/${index}`));
    });
    const report = await copy(newTarget(), direction, at('from'), at('to'));
    expect(report).toMatchObject({ files: 0, directories: 1, links: links.length });
    const copied = readdirSync(at('to')).map((name) => readlinkSync(at(`to/${name}`)));
    expect(copied.sort()).toEqual(links.sort());
    expectSafe();
  });

  it('replaces a hard link of an outer file, and does not write through it', async () => {
    const { at, expectSafe } = newPlace();
    writeFileSync(at('from/small'), 'new');
    writeFileSync(at('from/large'), Buffer.alloc(2_000_000));
    mkdirSync(at('to'));
    for (const name of ['small', 'large']) linkSync(at('outside/file'), at(`to/${name}`));
    await copy(newTarget(), direction, at('from'), at('to'));
    expect(readFileSync(at('to/small'), 'utf8')).toBe('new');
    expect(statSync(at('to/large')).size).toBe(2_000_000);
    expectSafe();
  });

  it('waits for no pipe in the place of its copy, and opens no socket', async () => {
    const { at } = newPlace();
    for (const name of ['pipe', 'socket']) writeFileSync(at(`from/${name}`), 'text');
    mkdirSync(at('to'));
    execFileSync('mkfifo', [at('to/pipe')]);
    const server = createServer().listen(at('to/socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    await copy(newTarget(), direction, at('from'), at('to'));
    for (const name of ['pipe', 'socket']) expect(readFileSync(at(`to/${name}`), 'utf8')).toBe('text');
    server.close();
  });

  it('leaves sockets and devices out', async () => {
    const { at } = newPlace();
    const server = createServer().listen(at('from/socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await copy(newTarget(), direction, at('from'), at('to'))).toMatchObject({ skipped: ['socket'] });
    expect(readdirSync(at('to'))).toEqual([]);
    const device = copy(newTarget(), direction, '/dev/zero', at('zero'));
    await expect(device).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    server.close();
  });

  it('gives no directory and no large file the bits of users, groups and sticky directories', async () => {
    const { at } = newPlace();
    mkdirSync(at('from/sub'));
    writeFileSync(at('from/large'), Buffer.alloc(2_000_000));
    for (const name of ['from/sub', 'from/large']) chmodSync(at(name), 0o7755);
    await copy(newTarget(), direction, at('from'), at('to'));
    for (const name of ['to/sub', 'to/large']) expect(statSync(at(name)).mode & 0o7777).toBe(0o755);
  });

  it('writes nothing through a directory that becomes a link meanwhile', async () => {
    const { at, expectSafe } = newPlace();
    mkdirSync(at('from/sub'));
    for (let index = 0; index < 200; index++) writeFileSync(at(`from/sub/${index}`), `${index}`);
    writeFileSync(at('from/sub/large'), Buffer.alloc(1_000_000));
    mkdirSync(at('to/sub'), { recursive: true });
    await swapping(at('to/sub'), at('outside'));
    const target = newTarget();
    const seen = new Set<string>();
    for (let round = 0; round < 10; round++) {
      const failure = await copy(target, direction, at('from'), at('to')).then(
        () => null,
        (error) => error.code,
      );
      seen.add(failure);
      expectSafe();
    }
    // A copy has failed because the directory was another one, or was lucky.
    for (const code of seen) expect([null, 'EEXIST', 'ENOENT', 'ENOTDIR', 'ELOOP']).toContain(code);
  });

  it('reads nothing through a directory that becomes a link meanwhile', async () => {
    const { at } = newPlace();
    mkdirSync(at('from/sub'));
    writeFileSync(at('outside/secret'), 'secret');
    for (let index = 0; index < 200; index++) writeFileSync(at(`from/sub/${index}`), `${index}`);
    await swapping(at('from/sub'), at('outside'));
    const target = newTarget();
    for (let round = 0; round < 10; round++) {
      mkdirSync(at(`to-${round}`));
      await copy(target, direction, at('from'), at(`to-${round}`)).catch((error) => {
        expect(['EEXIST', 'ENOENT', 'ENOTDIR', 'ELOOP', 'FILE_CHANGED']).toContain(error.code);
      });
      const found = execFileSync('find', [at(`to-${round}`), '-name', 'secret'], { encoding: 'utf8' });
      expect(found).toBe('');
    }
  });

  it('follows a link that is the path itself, and none in the place of a copied file', async () => {
    const { at, expectSafe } = newPlace();
    writeFileSync(at('from/file'), 'new');
    symlinkSync(at('from'), at('source'));
    mkdirSync(at('to'));
    symlinkSync(at('outside/file'), at('to/file'));
    await copy(newTarget(), direction, at('source'), at('to'));
    expect(lstatSync(at('to/file')).isFile()).toBe(true);
    expect(readFileSync(at('to/file'), 'utf8')).toBe('new');
    expectSafe();
  });

  it('copies a file that loses its name meanwhile, or fails with its path', async () => {
    const { at } = newPlace();
    const names = Array.from({ length: 2_000 }, (_, index) => at(`from/${index}`));
    for (const name of names) writeFileSync(name, 'text');
    const copying = copy(newTarget(), direction, at('from'), at('to'));
    for (const name of names.reverse()) renameSync(name, `${name}.other`);
    for (const name of names) unlinkSync(`${name}.other`);
    const failure = await copying.then(
      () => null,
      (error) => error,
    );
    if (failure !== null)
      expect(failure).toMatchObject({ code: 'ENOENT', path: expect.stringContaining('from/') });
    expect(readdirSync(at('to')).filter((name) => name.startsWith('.agent-bash'))).toEqual([]);
  });
});
