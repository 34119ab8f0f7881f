import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Overlay, run, ShellSession } from '../../index.js';
import { overlayOver, save, tree } from './support.js';

/** A command by which the rest of a commit takes some tenths of a second. */
const LARGE = 'echo 1 > 0; head -c 200000000 /dev/zero | tr "\\0" x > 1';

/** Commits, and calls `edit` when the commit has written its first file and copies the second one. */
async function commitWhile(
  edit: () => void,
  { overlay, at }: ReturnType<typeof overlayOver>,
  options: Parameters<Overlay['commit']>[0] = {},
) {
  const committed = overlay.commit(options).then(
    (result) => ({ ...result, code: undefined, message: '' }),
    (error) => error,
  );
  while (!existsSync(at('0'))) await new Promise(setImmediate);
  edit();
  return await committed;
}

describe('during a commit', { tags: ['sandbox'] }, () => {
  it('a file that is saved stays, and the commit says so', async () => {
    const place = overlayOver({ z: 'one' });
    const { overlay, at } = place;
    await run(`${LARGE}; echo two > z`, { overlay });
    const error = await commitWhile(() => save(at('z'), 'mine'), place);
    expect(error).toMatchObject({ code: 'OVERLAY_FAILED', message: expect.stringContaining("'z' changed") });
    expect(error.applied.map(({ path }: { path: string }) => path)).toEqual(['0', '1']);
    expect(readFileSync(at('z'), 'utf8')).toBe('mine');
    expect(await overlay.conflicts()).toEqual([{ path: 'z', reason: 'changed' }]);
    await overlay.commit({ onConflict: 'overwrite' });
    expect(readFileSync(at('z'), 'utf8')).toBe('two\n');
  });

  it('with skip, others are applied, and what has changed meanwhile is a conflict', async () => {
    const place = overlayOver({ 'd/a': 'one', 'd/b': 'one', gone: 'one', moved: 'moved', z: 'one' });
    const { overlay, at } = place;
    await run(`${LARGE}; echo two > z; rm -r d gone; mkdir -p n/e; echo 3 > n/e/f; mv moved to; ln -s x l`, {
      overlay,
    });
    const edit = () => {
      writeFileSync(at('d/new'), 'mine');
      save(at('gone'), 'mine');
      save(at('moved'), 'mine');
      save(at('l'), 'mine');
      rmSync(at('n'), { recursive: true, force: true });
      writeFileSync(at('n'), 'mine');
    };
    const { applied, conflicts, message } = await commitWhile(edit, place, { onConflict: 'skip' });
    expect(message).toBe('');
    expect(conflicts.map(({ path }: { path: string }) => path).sort()).toEqual([
      'd',
      'gone',
      'l',
      'moved',
      'n/e/f',
    ]);
    expect(applied).toContainEqual(expect.objectContaining({ path: 'to', type: 'created' }));
    const found = tree(at(''));
    delete found[1];
    expect(found).toEqual({
      0: '644 1\n',
      d: 'directory 755',
      'd/new': '644 mine',
      gone: '644 mine',
      l: '644 mine',
      moved: '644 mine',
      n: '644 mine',
      to: '644 moved',
      z: '644 two\n',
    });
    await expect(overlay.commit()).rejects.toMatchObject({ code: 'OVERLAY_CONFLICT' });
  }, 60_000);

  it('a directory that is removed while a file is written in it stays removed', async () => {
    const place = overlayOver({ 'n/a': 'one' });
    const { root, overlay, at } = place;
    await run('echo 1 > 0; head -c 200000000 /dev/zero | tr "\\0" x > n/large; echo 1 > z', { overlay });
    const edit = () => rmSync(at('n'), { recursive: true });
    const { conflicts } = await commitWhile(edit, place, { onConflict: 'skip' });
    expect(conflicts).toEqual([{ path: 'n/large', reason: 'deleted' }]);
    expect(tree(root)).toEqual({ 0: '644 1\n', z: '644 1\n' });
  });

  it('a save over what it has written is no version that a later command has seen', async () => {
    const place = overlayOver({ z: 'one' });
    const { overlay, at } = place;
    await using session = new ShellSession({ overlay, sandbox: 'workspace-write' });
    await session.run(LARGE);
    await commitWhile(() => save(at('0'), 'mine'), place);
    expect(await overlay.changes()).toEqual([]);
    await session.run('echo two >> 0');
    expect(await overlay.conflicts()).toEqual([{ path: '0', reason: 'changed' }]);
    await overlay.commit({ onConflict: 'skip' });
    expect(readFileSync(at('0'), 'utf8')).toBe('mine');
  });

  it('and before it compares contents, a change of a command is not taken for one that saw a save', async () => {
    const { root, overlay, at } = overlayOver({ a: 'x'.repeat(300_000_000), z: 'one\n' });
    await using session = new ShellSession({ overlay, sandbox: 'workspace-write' });
    const command = 'cat z; touch a up; until [ -e /tmp/go ]; do sleep 0.01; done; echo three >> z';
    const job = session.run(command);
    while (!(await overlay.changes()).some(({ path }) => path === 'up')) await new Promise(setImmediate);
    const committed = overlay.commit().catch(() => {});
    save(at('z'), 'mine\n');
    // Without the overlay, so that its view is not refreshed.
    await run('touch /tmp/go', { root, sandbox: 'workspace-write' });
    await Promise.all([committed, job]);
    expect(await overlay.conflicts()).toEqual([{ path: 'z', reason: 'changed' }]);
    await overlay.commit({ onConflict: 'skip' });
    expect(readFileSync(at('z'), 'utf8')).toBe('mine\n');
  }, 60_000);
});
