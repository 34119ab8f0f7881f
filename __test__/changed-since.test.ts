import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { changedSince } from 'agent-bash';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from './support/directory.js';
import { deliberateDelay } from './support/waits.mjs';

const root = temporaryDirectory();
/** Longer than the clock of a file system is coarse (ms). */
const TICK = 50;
let since = 0;

beforeEach(async () => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(`${root}/a/b`, { recursive: true });
  for (const name of ['old', 'a/old', 'a/b/old', 'gone']) writeFileSync(`${root}/${name}`, name);
  await deliberateDelay(TICK);
  since = Date.now();
  await deliberateDelay(TICK);
});

describe('changedSince()', () => {
  it('finds nothing where nothing was changed', async () => {
    expect(await changedSince(root, since)).toEqual({ paths: [], complete: true });
  });

  it('finds what was made, written, renamed, linked and given other rights, in any depth', async () => {
    writeFileSync(`${root}/a/b/new`, '');
    writeFileSync(`${root}/a/old`, 'written');
    renameSync(`${root}/gone`, `${root}/renamed`);
    chmodSync(`${root}/old`, 0o600);
    symlinkSync('nowhere', `${root}/a/link`);
    const { paths } = await changedSince(pathToFileURL(root), new Date(since));
    expect(paths).toEqual(['a', 'a/b', 'a/b/new', 'a/link', 'a/old', 'old', 'renamed']);
  });

  it('is not misled by a file that claims to be old', async () => {
    writeFileSync(`${root}/old`, 'written');
    utimesSync(`${root}/old`, 0, 0);
    expect((await changedSince(root, since)).paths).toEqual(['old']);
  });

  it('sees a deletion by the directory', async () => {
    rmSync(`${root}/a/b/old`);
    expect((await changedSince(root, since)).paths).toEqual(['a/b']);
  });

  it('leaves out .git and node_modules, or the names that the caller gives', async () => {
    mkdirSync(`${root}/a/node_modules/x`, { recursive: true });
    mkdirSync(`${root}/.git`);
    expect((await changedSince(root, since)).paths).toEqual(['a']);
    expect((await changedSince(root, since, { ignore: ['a'] })).paths).toEqual(['.git']);
  });

  it('reports that it stopped at its limit', async () => {
    expect(await changedSince(root, since, { limit: 2 })).toMatchObject({ complete: false });
  });

  it('rejects for wrong arguments, a directory that is not there, and its signal', async () => {
    // @ts-expect-error That is the point.
    await expect(changedSince(root, 'yesterday')).rejects.toThrow(/since/);
    // @ts-expect-error That is the point.
    await expect(changedSince(root, 0, { ignore: 'a' })).rejects.toThrow(/options.ignore/);
    await expect(changedSince(`${root}/nowhere`, 0)).rejects.toMatchObject({ code: 'ENOENT' });
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(changedSince(root, 0, { signal })).rejects.toThrow('stopped');
  });
});
