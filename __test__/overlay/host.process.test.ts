import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Overlay, run, ShellSession } from '../../index.js';
import { git, lines, overlayOver, save, tree } from './support.js';

const FILES = { f: 'one\n', 'd/a': 'one\n', 'd/e/b': 'one\n' };

/** Edits of the host while an overlay is in use, and the output of `CAT` then. */
const EDITS: Record<string, [(at: (name: string) => string, root: string) => void, string]> = {
  'a save by rename': [(at) => save(at('f'), 'two\n'), 'two\n|one\n|one\n|none\n'],
  'sed -i': [(at) => save(at('d/a'), 'two\n'), 'one\n|two\n|one\n|none\n'],
  'a removed file': [(at) => rmSync(at('f')), 'none\n|one\n|one\n|none\n'],
  'a link in place of a file': [
    (at) => {
      symlinkSync('d/a', at('l'));
      renameSync(at('l'), at('f'));
      save(at('d/a'), 'two\n');
    },
    'two\n|two\n|one\n|none\n',
  ],
  'a new directory of an old name': [
    (at) => {
      rmSync(at('d'), { recursive: true });
      mkdirSync(at('d/e'), { recursive: true });
      writeFileSync(at('d/e/b'), 'two\n');
    },
    'one\n|none\n|two\n|none\n',
  ],
  'a moved directory': [
    (at) => {
      renameSync(at('d'), at('old'));
      mkdirSync(at('other/e'), { recursive: true });
      writeFileSync(at('other/a'), 'two\n');
      renameSync(at('other'), at('d'));
    },
    'one\n|two\n|none\n|none\n',
  ],
  'a new file whose name was looked up before': [
    (at) => writeFileSync(at('new'), 'two\n'),
    'one\n|one\n|one\n|two\n',
  ],
  'git checkout': [
    (at, root) => {
      git(root, 'checkout', '-q', 'HEAD', 'f');
      expect(readFileSync(at('f'), 'utf8')).toBe('committed\n');
    },
    'committed\n|one\n|one\n|none\n',
  ],
};

const CAT =
  'for f in f d/a d/e/b new; do cat $f 2> /dev/null || echo none; echo "|"; done | tr -d "\\n" | sed "s/|$//; s/|/\\\\n|/g"; echo';

/** Runs a command in one of the ways in which commands share an overlay. */
const WAYS: Record<string, (overlay: Overlay) => Promise<(command: string) => Promise<string>>> = {
  commands: async (overlay) => async (command) => (await run(command || ':', { overlay })).stdout,
  'a session': async (overlay) => {
    const session = new ShellSession({ overlay });
    return async (command) => {
      if (command !== '') return (await session.run(command)).stdout;
      await session.close();
      return '';
    };
  },
};

describe('edits of the workspace beside an overlay', { tags: ['sandbox'] }, () => {
  for (const [way, start] of Object.entries(WAYS)) {
    it.each(Object.entries(EDITS))(`are seen by ${way}: %s`, async (_, [edit, after]) => {
      const { root, overlay, at } = overlayOver({ ...FILES, f: 'committed\n' });
      git(root, 'init', '-q');
      git(root, 'add', 'f');
      git(root, 'commit', '-qm', 'first');
      save(at('f'), 'one\n');
      const command = await start(overlay);
      expect(await command(CAT)).toBe('one\n|one\n|one\n|none\n');
      edit(at, root);
      expect(await command(CAT)).toBe(after);
      await command('');
      expect((await overlay.changes()).filter(({ path }) => !path.startsWith('.git'))).toEqual([]);
    });

    it(`are kept by the changes of ${way} after them`, async () => {
      const { overlay, at } = overlayOver(FILES);
      const command = await start(overlay);
      await command(CAT);
      save(at('f'), 'two\n');
      await command('echo three >> f');
      expect(await overlay.conflicts()).toEqual([]);
      await overlay.commit();
      expect(readFileSync(at('f'), 'utf8')).toBe('two\nthree\n');
      await command('');
    });
  }

  it('are a conflict if a running command may have missed them', async () => {
    const { root, overlay, at } = overlayOver(FILES);
    const session = new ShellSession({ overlay });
    const job = session.run(
      'cat f d/a d/e/b > /dev/null; touch up; until [ -e /tmp/go ]; do sleep 0.02; done; echo three >> f; sed -i s/one/x/ d/a; rm d/e/b',
    );
    while (!(await lines(overlay)).includes('file up created')) await new Promise(setImmediate);
    for (const path of ['f', 'd/a', 'd/e/b']) save(at(path), 'two\n');
    // Without the overlay, so that its view is not refreshed.
    await run('touch /tmp/go', { root, sandbox: 'workspace-write' });
    await job;
    const changed = ['d/a', 'd/e/b', 'f'].map((path) => ({ path, reason: expect.any(String) }));
    expect(await overlay.conflicts()).toEqual(changed);
    await expect(overlay.commit()).rejects.toMatchObject({ code: 'OVERLAY_CONFLICT' });
    expect(readFileSync(at('f'), 'utf8')).toBe('two\n');
    await session.close();
  });

  it('that a running command sees, since they are in place, are no conflict', async () => {
    const { root, overlay, at } = overlayOver(FILES);
    const session = new ShellSession({ overlay });
    const job = session.run(
      'cat f > /dev/null; touch up; until [ -e /tmp/go ]; do sleep 0.02; done; echo three >> f',
    );
    while (!(await lines(overlay)).includes('file up created')) await new Promise(setImmediate);
    appendFileSync(at('f'), 'two\n');
    // Without the overlay, so that its view is not refreshed.
    await run('touch /tmp/go', { root, sandbox: 'workspace-write' });
    await job;
    await overlay.commit();
    expect(readFileSync(at('f'), 'utf8')).toBe('one\ntwo\nthree\n');
    await session.close();
  });

  it('of times and names alone, and edits that were undone, are no conflict', async () => {
    const { root, overlay, at } = overlayOver({
      touched: '1',
      linked: '1',
      back: '1',
      gone: '1',
      'd/x': '1',
    });
    symlinkSync('x', at('link'));
    await run('for f in touched linked back; do echo 2 > $f; done; rm gone; rm -r d; ln -sfn y link', {
      overlay,
    });
    utimesSync(at('touched'), 1e9, 1e9);
    utimesSync(at('gone'), 1e9, 1e9);
    linkSync(at('linked'), at('second'));
    save(at('back'), '1');
    save(at('d/x'), '1');
    rmSync(at('link'));
    symlinkSync('x', at('link'));
    expect(await overlay.conflicts()).toEqual([]);
    await overlay.commit();
    expect(tree(root)).toMatchObject({
      touched: '644 2\n',
      linked: '644 2\n',
      back: '644 2\n',
      link: 'link y',
    });
    expect(existsSync(at('gone')) || existsSync(at('d'))).toBe(false);
  });

  it('of the permissions of a directory whose list alone commands have changed are a conflict', {
    tags: ['setfacl'],
  }, async () => {
    const { overlay, at } = overlayOver({ 'd/a': '1' });
    expect((await run('setfacl -d -m u:$(id -u):rw d', { overlay })).stderr).toBe('');
    chmodSync(at('d'), 0o700);
    expect(await overlay.conflicts()).toEqual([{ path: 'd', reason: 'changed' }]);
  });

  it('in a directory that commands have replaced are a conflict, and stay with skip', async () => {
    const { root, overlay, at } = overlayOver({ 'd/a': '1', 'd/b': '1' });
    await run('rm -r d; mkdir d; echo 2 > d/a', { overlay });
    writeFileSync(at('d/h'), 'host');
    expect(await overlay.conflicts()).toEqual([{ path: 'd/h', reason: 'created' }]);
    await overlay.commit({ onConflict: 'skip' });
    expect(tree(root)).toEqual({ d: 'directory 755', 'd/a': '644 2\n', 'd/h': '644 host' });
  });

  it.each([
    ['removed', (path: string) => rmSync(path, { recursive: true }), 'deleted'],
    [
      'replaced by a file',
      (path: string) => {
        rmSync(path, { recursive: true });
        writeFileSync(path, 'host');
      },
      expect.any(String),
    ],
    [
      'replaced by a link',
      (path: string) => {
        renameSync(path, `${path}-moved`);
        symlinkSync('d-moved', path);
      },
      expect.any(String),
    ],
  ])('that have %s the parent of what was created are a conflict', async (_, edit, reason) => {
    const { root, overlay, at } = overlayOver({ 'd/a': '1', 'keep/a': '1' });
    await run('echo 2 > d/new; mkdir d/sub; echo 2 > d/sub/new; echo 2 > keep/new; rm d/a; touch keep/a', {
      overlay,
    });
    edit(at('d'));
    const before = tree(root);
    expect(await overlay.conflicts()).toEqual([{ path: 'd', reason }]);
    await expect(overlay.commit()).rejects.toMatchObject({ code: 'OVERLAY_CONFLICT' });
    expect(tree(root)).toEqual(before);
    await overlay.commit({ onConflict: 'skip' });
    expect(tree(root)).toEqual({ ...before, 'keep/new': '644 2\n' });
    await overlay.commit({ onConflict: 'overwrite' });
    expect(tree(root)).toMatchObject({ d: 'directory 755', 'd/new': '644 2\n', 'd/sub/new': '644 2\n' });
  });

  it('of a directory in which commands have changed nothing are no change', async () => {
    const { root, overlay, at } = overlayOver({ 'd/a': '1', 'e/a': '1' });
    await run('for d in d e; do echo > $d/new; rm $d/new; done', { overlay });
    rmSync(at('d'), { recursive: true });
    rmSync(at('e'), { recursive: true });
    writeFileSync(at('e'), 'host');
    expect(await lines(overlay)).toEqual([]);
    expect(tree(root)).toEqual({ e: '644 host' });
  });
});

describe('after a commit, while a session goes on', { tags: ['sandbox'] }, () => {
  it.each([
    ['below the root', '.'],
    ['in a directory that it has created', 'd'],
  ])('deletions and renames %s reach the workspace', async (_, directory) => {
    const { root, overlay } = overlayOver({ keep: '1' });
    const session = new ShellSession({ overlay });
    await session.run(`mkdir -p d/e; for f in a b m e/c; do echo $f > d/$f; done; cd ${directory}`);
    const d = directory === 'd' ? '.' : 'd';
    await overlay.commit();
    await session.run(`rm -r ${d}/a ${d}/e; mv ${d}/m ${d}/n`);
    const { stdout } = await session.run(`ls ${d}`);
    expect(stdout).toBe('b\nn\n');
    expect(await lines(overlay)).toEqual(
      expect.arrayContaining(['file d/a deleted', 'directory d/e deleted', 'file d/n renamed from d/m']),
    );
    await overlay.commit();
    expect(tree(root)).toEqual({ d: 'directory 755', 'd/b': '644 b\n', 'd/n': '644 m\n', keep: '644 1' });
    expect(await lines(overlay)).toEqual([]);
    await session.run(`echo again > ${d}/a`);
    await overlay.commit();
    expect(tree(root)).toMatchObject({ 'd/a': '644 again\n' });
    await session.close();
  });

  it('deletions in a directory that a session has left are not undone in its view', async () => {
    const { overlay } = overlayOver({});
    const session = new ShellSession({ overlay });
    await session.run('mkdir -p d/e; echo 1 > d/a; echo 1 > d/e/b; cd d');
    await overlay.commit();
    await session.run('rm a; rm -r e');
    await session.run('cd ..');
    expect((await session.run('ls d')).stdout).toBe('');
    expect((await run('ls d', { overlay })).stdout).toBe('');
    expect(await lines(overlay)).toEqual(['file d/a deleted', 'file d/e/b deleted', 'directory d/e deleted']);
    await session.close();
  });

  it('files that the host creates where commands have deleted or replaced stay, and are seen', async () => {
    const { root, overlay, at } = overlayOver({ gone: '1', 'd/a': '1', 'r/a': '1' });
    const session = new ShellSession({ overlay });
    await session.run('rm gone; rm -r d r; mkdir r; echo 2 > r/b');
    await overlay.commit();
    writeFileSync(at('gone'), 'host');
    mkdirSync(at('d'));
    writeFileSync(at('d/h'), 'host');
    writeFileSync(at('r/h'), 'host');
    expect(await lines(overlay)).toEqual([]);
    expect((await session.run('cat gone d/h r/h; ls r')).stdout).toBe('hosthosthostb\nh\n');
    await session.run('echo 3 > r/c');
    await overlay.commit();
    expect(tree(root)).toMatchObject({
      gone: '644 host',
      'd/h': '644 host',
      'r/h': '644 host',
      'r/c': '644 3\n',
    });
    await session.close();
  });
});
