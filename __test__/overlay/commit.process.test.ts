import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Overlay, run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX } from '../support/node.js';
import { lines, overlayOver, tree } from './support.js';

const mode = (path: string) => statSync(path).mode & 0o7777;

/** Runs a command in an overlay, and expects it to succeed without a word. */
async function done(command: string, overlay: Overlay) {
  const { exitCode, stderr } = await run(command, { overlay });
  expect([exitCode, stderr]).toEqual([0, '']);
}

/** Runs a shell on the host. */
const host = (cwd: string, script: string) =>
  execFileSync('/bin/bash', ['-ec', script], { cwd, encoding: 'utf8' });

/**
 * Runs a command in an overlay of an ordinary user and commits it. Returns the tree, and what the directory
 * has besides as `changes()` then.
 */
function committedByUser(files: string, command: string): [Record<string, string>, unknown] {
  const place = temporaryDirectory();
  const root = join(place, 'work');
  mkdirSync(root);
  const user = process.getuid?.() === 0 ? 12_345 : process.getuid?.();
  for (const path of [place, root]) chownSync(path, user as number, user as number);
  const program = `
    import { execFileSync } from 'node:child_process';
    import { Overlay, run } from ${JSON.stringify(INDEX)};
    execFileSync('/bin/bash', ['-ec', ${JSON.stringify(files)}], { cwd: ${JSON.stringify(root)} });
    const overlay = new Overlay({ root: ${JSON.stringify(root)} });
    const { exitCode, stderr } = await run(${JSON.stringify(command)}, { overlay });
    await overlay.changes();
    await overlay.commit();
    console.log(JSON.stringify([exitCode, stderr, await overlay.changes()]));
  `;
  const words = [process.execPath, '--input-type=module', '-e', program];
  if (process.getuid?.() === 0) {
    const id = String(user);
    words.unshift('setpriv', '--reuid', id, '--regid', id, '--clear-groups', 'env', 'HOME=/nonexistent');
  }
  const [name, ...rest] = words as [string, ...string[]];
  const [exitCode, stderr, left] = JSON.parse(execFileSync(name, rest, { encoding: 'utf8' }));
  expect([exitCode, stderr]).toEqual([0, '']);
  return [tree(root), left];
}

describe('a commit stays beneath its root', { tags: ['sandbox'] }, () => {
  it.each([
    ['the root', 'sub', 'sub'],
    ['a parent of the root', 'outer/sub', 'outer'],
  ])('when %s becomes a link', async (_, below, replaced) => {
    const place = temporaryDirectory();
    const victim = temporaryDirectory();
    mkdirSync(join(place, below), { recursive: true });
    mkdirSync(join(victim, 'sub'));
    const overlay = new Overlay({ root: join(place, below) });
    await done('echo evil > file', overlay);
    renameSync(join(place, replaced), join(place, 'old'));
    symlinkSync(victim, join(place, replaced));
    await expect(overlay.commit()).rejects.toMatchObject({ code: 'OVERLAY_ROOT' });
    await expect(overlay.changes()).rejects.toMatchObject({ code: 'OVERLAY_ROOT' });
    expect(Object.keys(tree(victim))).toEqual(['sub']);
    const { error } = await run('echo evil > file', { overlay });
    expect(error?.code).toBe('OVERLAY_ROOT');
    await overlay.discard();
  });

  it('when another directory takes its place', async () => {
    const { root, overlay } = overlayOver({ a: '1' });
    await done('echo 2 > b', overlay);
    renameSync(root, `${root}.old`);
    mkdirSync(root);
    await expect(overlay.commit()).rejects.toMatchObject({ code: 'OVERLAY_ROOT' });
    expect(readdirSync(root)).toEqual([]);
  });

  it('when links take the places of files whose permissions it changes', async () => {
    const outside = temporaryDirectory();
    writeFileSync(join(outside, 'secret'), 'secret', { mode: 0o600 });
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f/${index}`, 'x']));
    const { overlay, at } = overlayOver(files);
    await done('chmod 666 f/*', overlay);
    const swap = `for (let index = 0; ; index = (index + 1) % 50) {
      fs.symlinkSync(${JSON.stringify(join(outside, 'secret'))}, 'link');
      fs.renameSync('link', 'f/' + index);
      fs.writeFileSync('file', 'x');
      fs.renameSync('file', 'f/' + index);
    }`;
    await using table = new (await import('../../index.js')).Jobs();
    const job = table.start([process.execPath, '-e', `process.stdout.write('up');${swap}`], { cwd: at('') });
    await job.ready({ pattern: 'up' });
    for (let round = 0; round < 30; round++) {
      await overlay.commit({ onConflict: 'overwrite' }).catch(() => {});
      expect(mode(join(outside, 'secret'))).toBe(0o600);
    }
    job.kill();
    await job.result;
  });
});

// Only root can read what the user has closed, and remove it.
describe('a commit by an ordinary user', { tags: ['root', 'sandbox'] }, () => {
  it('creates trees that their owner has closed', () => {
    const made =
      'mkdir -p d/e r; echo 1 > d/e/f; echo 2 > r/f; chmod 0 d/e/f d/e; chmod 500 d; chmod -R a-w r';
    const [found, left] = committedByUser(':', made);
    const open = { d: 'directory 500', 'd/e': 'directory 0', 'd/e/f': '0 1\n', r: 'directory 555' };
    expect(found).toEqual(process.getuid?.() === 0 ? { ...open, 'r/f': '444 2\n' } : expect.anything());
    expect(left).toEqual([]);
  });

  it('removes, renames and changes what is in closed directories, which stay closed', () => {
    const files = 'mkdir -p d/e keep; echo 1 > d/e/f; echo 2 > keep/f; echo 3 > keep/g; chmod 555 d/e d keep';
    const command =
      'chmod -R u+w d; rm -r d; chmod u+w keep; echo 4 > keep/f; mv keep/g keep/h; chmod 555 keep';
    const [found, left] = committedByUser(files, command);
    expect(found).toEqual({ keep: 'directory 555', 'keep/f': '644 4\n', 'keep/h': '644 3\n' });
    expect(left).toEqual([]);
  });

  it('takes the permissions from a file, which changes() shows', () => {
    const [found, left] = committedByUser('echo 1 > f; echo 2 > g; chmod 0 g', 'chmod 0 f; chmod 600 g');
    expect(Object.keys(found)).toEqual(['f', 'g']);
    expect(left).toEqual([]);
  });
});

describe('a commit keeps rights', { tags: ['sandbox'] }, () => {
  it('of pipes, whatever the umask is', async () => {
    const { overlay, at } = overlayOver({});
    await done('mkfifo -m 666 p', overlay);
    await overlay.commit();
    expect(mode(at('p'))).toBe(0o666);
  });

  it('of directories whose entries get their group', async () => {
    const { root, overlay, at } = overlayOver({});
    mkdirSync(at('s'));
    chmodSync(at('s'), 0o2755);
    await done('mkdir s/t; echo 1 > s/t/f', overlay);
    await overlay.commit();
    expect(tree(root)).toEqual({ s: 'directory 2755', 's/t': 'directory 2755', 's/t/f': '644 1\n' });
    expect(await lines(overlay)).toEqual([]);
  });

  it('and takes the set-uid bit from a file with other content alone', async () => {
    const { overlay, at } = overlayOver({ a: '1', b: '1', c: '1' });
    for (const name of ['a', 'b', 'c']) chmodSync(at(name), 0o4755);
    await done('touch a; echo 2 >> b; chmod 700 c', overlay);
    await overlay.commit();
    expect(['a', 'b', 'c'].map((name) => mode(at(name)))).toEqual([0o4755, 0o755, 0o700]);
    expect(await lines(overlay)).toEqual([]);
  });

  it('of lists, which are not the mode of the group', { tags: ['setfacl'] }, async () => {
    const { root, overlay } = overlayOver({ a: '1\n', b: '1\n', c: '1\n', 'd/e': '1\n' });
    host(root, 'setfacl -m u:12345:rw,g::---,m::rw a c; setfacl -d -m u:12345:rw,g::--- d');
    const lists = () => host(root, 'getfacl -R .');
    const before = lists();
    await done('for f in a d/e; do echo 2 >> $f; done; echo 3 > b; chmod 640 b', overlay);
    await overlay.commit();
    expect(lists()).toBe(
      before.replace(/(file: b\n.*\n.*\n.*\n)group::r--\nother::r--/, '$1group::r--\nother::---'),
    );
    await done('echo > d/new', overlay);
    await overlay.commit();
    expect(host(root, 'getfacl -c d/new')).toMatch(/user:12345:rw-\s.*group::---/s);
  });

  it('and the attributes of files', { tags: ['setfattr'] }, async () => {
    const { root, overlay } = overlayOver({ a: '1\n', b: '1\n' });
    host(root, 'setfattr -n user.x -v 1 a; setfattr -n user.x -v 1 b');
    await done('echo 2 >> a; mv b c', overlay);
    await overlay.commit();
    expect(host(root, 'getfattr -d a c')).toBe('# file: a\nuser.x="1"\n\n# file: c\nuser.x="1"\n\n');
  });
});

describe('a commit of files', { tags: ['sandbox'] }, () => {
  it('writes holes as holes', async () => {
    const { overlay, at } = overlayOver({ a: '1', b: '1' });
    linkSync(at('b'), at('c'));
    await done('truncate -s 1G new; echo 1 >> new; truncate -s 1G a b; echo 2 >> b', overlay);
    await overlay.commit();
    for (const name of ['new', 'a', 'b']) {
      expect(statSync(at(name)).blocks * 512, name).toBeLessThan(1 << 20);
      expect(statSync(at(name)).size, name).toBeGreaterThanOrEqual(1 << 30);
    }
    expect(statSync(at('c')).size).toBe((1 << 30) + 2);
  });

  it('overwrites holes of a file with several names', async () => {
    const { overlay, at } = overlayOver({ a: 'x'.repeat(100_000) });
    linkSync(at('a'), at('b'));
    await done('truncate -s 0 a; truncate -s 90000 a; printf end >> a', overlay);
    await overlay.commit();
    expect(readFileSync(at('b'), 'latin1')).toBe(`${'\0'.repeat(90_000)}end`);
  });

  it('leaves one with several names as it was if the disk is full', { tags: ['root'] }, async () => {
    const place = temporaryDirectory();
    const root = join(place, 'disk');
    mkdirSync(root);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', root]);
    try {
      writeFileSync(join(root, 'a'), 'old');
      linkSync(join(root, 'a'), join(root, 'b'));
      const overlay = new Overlay({ root });
      await done('head -c 2000000 /dev/zero | tr "\\0" x > a; echo 1 > 0', overlay);
      const error = await overlay.commit().catch((error) => error);
      expect(error).toMatchObject({
        code: 'OVERLAY_FAILED',
        message: expect.stringMatching(/'a': ENOSPC.*1 change/),
      });
      expect(error.applied).toMatchObject([{ path: '0', type: 'created' }]);
      expect(readFileSync(join(root, 'b'), 'utf8')).toBe('old');
      expect(readdirSync(root)).toEqual(['0', 'a', 'b']);
      await done('echo new > a', overlay);
      await overlay.commit();
      expect(readFileSync(join(root, 'b'), 'utf8')).toBe('new\n');
    } finally {
      execFileSync('umount', ['-l', root]);
    }
  });

  it('touches no file of its own names, and leaves none', async () => {
    const { root, overlay } = overlayOver({
      '.agent-bash-commit': 'mine',
      a: '1',
      'd/.agent-bash-commit/x': '1',
    });
    await done('echo 2 > a; echo 2 > d/b; ln -s a l; mkfifo p', overlay);
    await overlay.commit();
    await done('rm l p; ln -s b l; echo 3 > p', overlay);
    await overlay.commit();
    expect(tree(root)).toMatchObject({ '.agent-bash-commit': '644 mine', 'd/.agent-bash-commit/x': '644 1' });
    expect(readdirSync(root)).toEqual(['.agent-bash-commit', 'a', 'd', 'l', 'p']);
  });

  it('removes sockets with their directories, and files that sockets replace', {
    tags: ['python3'],
  }, async () => {
    const { root, overlay, at } = overlayOver({ f: '1' });
    mkdirSync(at('d'));
    const server = createServer().listen(at('d/s'));
    await new Promise((resolve) => server.once('listening', resolve));
    const bind = `import socket; socket.socket(socket.AF_UNIX).bind('f')`;
    await done(`rm -r d; rm f; python3 -c "${bind}"`, overlay);
    expect(await lines(overlay)).toEqual(['socket d/s deleted', 'directory d deleted', 'file f deleted']);
    await overlay.commit();
    expect(tree(root)).toEqual({});
    expect(await lines(overlay)).toEqual([]);
    server.close();
  });

  it('creates the directories anew that the host has removed', async () => {
    const { root, overlay, at } = overlayOver({ 'd/e/f': '1', 'd/g': '1' });
    const session = new ShellSession({ overlay });
    await session.run('echo 2 > d/e/f; chmod 750 d; echo 2 > d/g');
    await overlay.commit();
    await session.run('echo 3 > d/e/f');
    rmSync(at('d'), { recursive: true });
    await overlay.commit({ onConflict: 'overwrite' });
    expect(tree(root)).toEqual({ d: 'directory 750', 'd/e': 'directory 755', 'd/e/f': '644 3\n' });
    await session.close();
  });

  it('while a command renames them takes states that were there, without an error', async () => {
    const { overlay, at } = overlayOver({});
    let isRunning = true;
    const command = `for n in $(seq 400); do echo $n > a; mv a b; mkdir d; echo 1 > d/x; mv d e; rm -r e; done`;
    const end = run(command, { overlay }).finally(() => {
      isRunning = false;
    });
    while (isRunning) await overlay.commit({ onConflict: 'overwrite' });
    expect((await end).exitCode).toBe(0);
    await overlay.commit({ onConflict: 'overwrite' });
    expect(readFileSync(at('b'), 'utf8')).toBe('400\n');
  }, 120_000);

  it.each([
    ['deeper than a path may be long', "'d' * 200", 30],
    ['deeper than a thread has space on its stack', "'d'", 1000],
  ])('takes trees that are %s', { tags: ['python3'], timeout: 120_000 }, async (_, name, depth) => {
    const { root, overlay } = overlayOver({});
    const source = `import os
for level in range(${depth}):
    os.mkdir(${name}); os.chdir(${name})
open('f', 'w').write('x')`;
    const { exitCode, stderr } = await run(['python3', '-c', source], { overlay });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(await overlay.changes()).toHaveLength(depth + 1);
    await overlay.commit();
    expect(host(root, 'find . -type f | wc -l')).toBe('1\n');
    expect((await run('rm -r d*', { overlay })).exitCode).toBe(0);
    await overlay.commit();
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('the paths of a commit', { tags: ['sandbox'] }, () => {
  it('are refused if nothing is there', async () => {
    const { root, overlay } = overlayOver({ a: '1', b: '1' });
    for (const asked of [
      () => overlay.commit({ paths: ['nope'] }),
      () => overlay.diff({ paths: ['nope'] }),
    ]) {
      await expect(asked()).rejects.toMatchObject({ code: 'OVERLAY_PATH', message: /options.paths: .*nope/ });
    }
    await done('echo 2 > a; rm b; echo 1 > c', overlay);
    await expect(overlay.commit({ paths: ['a', 'nope'] })).rejects.toMatchObject({ code: 'OVERLAY_PATH' });
    expect(tree(root)).toEqual({ a: '644 1', b: '644 1' });
    expect((await overlay.commit({ paths: ['b', 'a'] })).applied).toHaveLength(2);
    // Unchanged by now.
    expect((await overlay.commit({ paths: ['a'] })).applied).toEqual([]);
    expect((await overlay.commit({ paths: ['.'] })).applied).toHaveLength(1);
    expect((await overlay.commit({ paths: ['.'] })).applied).toEqual([]);
  });

  it('select names that are no text, by their bytes or as changes() shows them', async () => {
    const { root, overlay } = overlayOver({});
    await done(String.raw`touch $'a\xff' $'a\xfe' $'b\xff' c`, overlay);
    const changes = await overlay.changes();
    expect(changes.map(({ path, pathBytes }) => [path, pathBytes?.toString('latin1')])).toEqual([
      ['a\ufffd', 'a\xfe'],
      ['a\ufffd', 'a\xff'],
      ['b\ufffd', 'b\xff'],
      ['c', undefined],
    ]);
    const bytes = Buffer.from('a\xff', 'latin1');
    expect((await overlay.commit({ paths: [bytes] })).applied.map(({ pathBytes }) => pathBytes)).toEqual([
      bytes,
    ]);
    await overlay.commit({ paths: [changes[2]?.path as string] });
    expect(readdirSync(root, { encoding: 'latin1' }).sort()).toEqual(['a\xff', 'b\xff']);
  });

  it('can be excluded from changes() and diff()', async () => {
    const { overlay } = overlayOver({ a: '1\n' });
    await done('git init -q; echo 2 > a; mkdir d; echo 1 > d/a', overlay);
    expect((await overlay.changes({ exclude: ['.git'] })).map(({ path }) => path)).toEqual(['a', 'd', 'd/a']);
    const patch = await overlay.diff({ exclude: ['.git', 'd/a', 'none'] });
    expect(patch.match(/^diff --git .*/gm)).toEqual(['diff --git a/a b/a']);
    expect(existsSync(join(overlay.root, '.git'))).toBe(false);
  });
});
