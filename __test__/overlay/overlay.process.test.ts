import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, Overlay, run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { git, lines, overlayOver, tree } from './support.js';

/** The private directories of this process, which commands leave none of. */
const own = () =>
  readdirSync('/var/tmp').filter((name) => name.startsWith(`agent-bash.${process.pid}.`)).length;

describe('an overlay', { tags: ['sandbox'] }, () => {
  it('keeps what commands change apart from the workspace', async () => {
    const { root, overlay, at } = overlayOver({ a: 'a\n', b: 'b\n', 'd/c': 'c\n' });
    const before = tree(root);
    const result = await run('echo more >> a; rm b; mv d e; ln -s a link; chmod 700 e/c; cat a', { overlay });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'a\nmore\n', stderr: '' });
    expect(result.sandbox?.applied).toContain('overlay');
    expect(tree(root)).toEqual(before);
    expect(await lines(overlay)).toEqual([
      'file a modified',
      'file b deleted',
      'directory d deleted',
      'directory e created',
      'file e/c renamed from d/c',
      'link link created',
    ]);
    const { applied, conflicts } = await overlay.commit();
    expect([applied.length, conflicts]).toEqual([6, []]);
    expect(readFileSync(at('a'), 'utf8')).toBe('a\nmore\n');
    expect(existsSync(at('b')) || existsSync(at('d'))).toBe(false);
    expect(statSync(at('e/c')).mode & 0o777).toBe(0o700);
    expect(await lines(overlay)).toEqual([]);
  });

  it('shows the commands of one overlay to each other, also while they run', async () => {
    const { overlay } = overlayOver({ a: 'a' });
    await run('echo 1 > first', { overlay });
    await using table = new Jobs();
    const waiting = table.start('until [ -e second ]; do sleep 0.02; done; cat first second; rm a', {
      overlay,
    });
    await run('echo 2 > second', { overlay });
    expect((await waiting.result).stdout).toBe('1\n2\n');
    expect((await run('ls', { overlay })).stdout).toBe('first\nsecond\n');
  });

  it('is left alone by commands that only look and touch', async () => {
    const { overlay } = overlayOver({ a: 'a', 'd/b': 'b' });
    await run('cat a d/b > /dev/null; touch a d/b; mv a x; mv x a; chmod 600 d/b; chmod 644 d/b', {
      overlay,
    });
    expect(await lines(overlay)).toEqual([]);
  });

  it('is committed in part', async () => {
    const { root, overlay } = overlayOver({ 'src/a': '1', 'docs/b': '1' });
    await run('echo 2 > src/a; echo 2 > docs/b; mkdir -p new/deep; echo 3 > new/deep/c; echo 4 > new/d', {
      overlay,
    });
    const { applied } = await overlay.commit({ paths: ['src', join(root, 'new/deep/c')] });
    expect(applied.map(({ path }) => path)).toEqual(['new', 'new/deep', 'new/deep/c', 'src/a']);
    expect(tree(root)).toMatchObject({ 'src/a': '644 2\n', 'docs/b': '644 1', 'new/deep/c': '644 3\n' });
    expect(await lines(overlay)).toEqual(['file docs/b modified', 'file new/d created']);
  });

  it('leaves nothing when it is discarded, and can be used again', async () => {
    const { root, overlay } = overlayOver({ a: 'a' });
    const before = own();
    await run('mkdir -p d/e; chmod 0 d; echo x > a', { overlay });
    await overlay.discard();
    // The private directories of the root stay.
    expect(own()).toBeLessThanOrEqual(before + 1);
    expect(await lines(overlay)).toEqual([]);
    expect((await run('ls; cat a', { overlay })).stdout).toBe('a\na');
    expect(tree(root)).toEqual({ a: '644 a' });
  });

  it('is not discarded while a command runs in it', async () => {
    const { overlay, at } = overlayOver({ a: 'a' });
    await using table = new Jobs();
    const job = table.start('echo up > b; sleep 60', { overlay });
    await until(async () => (await lines(overlay)).length > 0, 'it runs');
    await expect(overlay.discard()).rejects.toMatchObject({ code: 'OVERLAY_BUSY' });
    job.kill();
    await job.result;
    await overlay.discard();
    expect(existsSync(at('b'))).toBe(false);
  });

  it('finds what the host changes meanwhile, whatever it does', async () => {
    const { root, overlay, at } = overlayOver({ edited: '1', gone: '1', moved: '1', both: '1', 'd/x': '1' });
    await run('for f in edited gone both; do echo 2 > $f; done; rm moved; rm -r d; echo 2 > new', {
      overlay,
    });
    expect(await overlay.conflicts()).toEqual([]);
    writeFileSync(at('edited'), 'host');
    rmSync(at('gone'));
    writeFileSync(at('moved'), 'host');
    writeFileSync(at('new'), 'host');
    writeFileSync(at('d/y'), 'host');
    const conflicts = [
      { path: 'd/y', reason: 'created' },
      { path: 'edited', reason: 'changed' },
      { path: 'gone', reason: 'deleted' },
      { path: 'moved', reason: 'changed' },
      { path: 'new', reason: 'created' },
    ];
    expect(await overlay.conflicts()).toEqual(conflicts);
    const before = tree(root);
    await expect(overlay.commit()).rejects.toMatchObject({ code: 'OVERLAY_CONFLICT', conflicts });
    expect(tree(root)).toEqual(before);
    const { applied } = await overlay.commit({ onConflict: 'skip' });
    expect(applied.map(({ path }) => path).sort()).toEqual(['both', 'd/x']);
    expect(tree(root)).toMatchObject({
      edited: '644 host',
      new: '644 host',
      'd/y': '644 host',
      both: '644 2\n',
    });
    await overlay.commit({ onConflict: 'overwrite' });
    expect(tree(root)).toEqual({ both: '644 2\n', edited: '644 2\n', gone: '644 2\n', new: '644 2\n' });
  });

  it('finds an edit of a file that a running command has changed', async () => {
    const { overlay, at } = overlayOver({ a: '1' });
    await using table = new Jobs();
    const job = table.start('echo 2 > a; sleep 60', { overlay });
    await until(async () => (await lines(overlay)).length > 0, 'it has written');
    writeFileSync(at('a'), 'host');
    expect(await overlay.conflicts()).toEqual([{ path: 'a', reason: 'changed' }]);
    job.kill();
    await job.result;
    expect(await overlay.conflicts()).toEqual([{ path: 'a', reason: 'changed' }]);
  });

  it('goes on after a commit while a session uses it, without the host and it in conflict', async () => {
    const { overlay, at } = overlayOver({ a: '1', b: '1' });
    const session = new ShellSession({ overlay });
    await session.run('echo 2 > a; cd /tmp');
    await session.run('cd -; echo 2 > b');
    expect(await lines(overlay)).toEqual(['file a modified', 'file b modified']);
    await overlay.commit();
    writeFileSync(at('a'), 'host');
    expect(await lines(overlay)).toEqual([]);
    await session.run('echo 3 > b; rm -f a');
    expect(await lines(overlay)).toEqual(['file a deleted', 'file b modified']);
    expect(await overlay.conflicts()).toEqual([{ path: 'a', reason: 'changed' }]);
    await overlay.commit({ paths: ['b'] });
    expect(readFileSync(at('b'), 'utf8')).toBe('3\n');
    await session.close();
  });

  it('takes the changes of parallel commands of a session and of others', async () => {
    const { root, overlay } = overlayOver({});
    const session = new ShellSession({ overlay });
    const numbers = Array.from({ length: 8 }, (_, index) => index);
    await Promise.all(
      numbers.flatMap((number) => [
        session.run(`echo ${number} > s${number}`),
        run(`echo ${number} > r${number}`, { overlay }),
      ]),
    );
    await session.close();
    await overlay.commit();
    expect(Object.keys(tree(root))).toHaveLength(16);
  });

  it('has git at work inside, and gives its repository to the workspace', async () => {
    const { root, overlay, at } = overlayOver({ a: '1\n' });
    git(root, 'init', '-q');
    git(root, 'add', '.');
    git(root, 'commit', '-qm', 'first');
    const commit = `git -c user.name=T -c user.email=t@example.com commit`;
    const { exitCode, stderr } = await run(
      `echo 2 > a; git add a; ${commit} -qm second; git checkout -qb topic; echo 3 > b; git add b; ${commit} -qm third`,
      { overlay },
    );
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(git(root, 'log', '--format=%s')).toBe('first\n');
    const { stdout } = await run('git log --format=%s --all; git status --short', { overlay });
    await overlay.commit();
    expect(git(root, 'log', '--format=%s', '--all') + git(root, 'status', '--short')).toBe(stdout);
    expect(git(root, 'fsck', '--strict')).toBe('');
    expect(readFileSync(at('b'), 'utf8')).toBe('3\n');
  });

  it('protects what the sandbox protects, with stubs that nobody sees', async () => {
    const { root, overlay } = overlayOver({ 'memo/a': '1' });
    const sandbox = { level: 'workspace-write', protected: ['memo/**', 'missing/x'] } as const;
    await using table = new Jobs();
    const job = table.start('echo up; sleep 60', { overlay, sandbox });
    await job.ready({ pattern: 'up' });
    expect(readdirSync(root)).toEqual(['memo']);
    expect(await lines(overlay)).toEqual([]);
    const { exitCode } = await run('echo 2 > memo/a || echo 2 > missing/x || rm -r memo', {
      overlay,
      sandbox,
    });
    expect(exitCode).not.toBe(0);
    job.kill();
    await job.result;
    expect(await lines(overlay)).toEqual([]);
    await run('echo 2 > memo/a; echo 2 > b', { overlay });
    await expect(overlay.commit()).rejects.toMatchObject({ code: 'OVERLAY_PROTECTED' });
    await overlay.commit({ paths: ['b'] });
    expect(tree(root)).toMatchObject({ 'memo/a': '644 1', b: '644 2\n' });
  });

  it('writes through no link that leads out of the workspace', async () => {
    const outside = temporaryDirectory();
    const { overlay, at } = overlayOver({ 'd/a': '1' });
    await run('echo 2 > d/a; echo 2 > d/b', { overlay });
    rmSync(at('d'), { recursive: true });
    symlinkSync(outside, at('d'));
    await overlay.commit({ onConflict: 'overwrite' }).catch(() => {});
    expect(readdirSync(outside)).toEqual([]);
  });

  it('keeps hard links, and the times of files that it commits', async () => {
    const { root, overlay, at } = overlayOver({ a: '1' });
    await run('ln a b', { root });
    await run('echo 2 > a; echo 3 > c; touch -d 2001-02-03 c', { overlay });
    await overlay.commit();
    expect(readFileSync(at('b'), 'utf8')).toBe('2\n');
    expect(statSync(at('c')).mtime.getFullYear()).toBe(2001);
  });

  it('keeps a layer in a directory of the caller, for a later process', async () => {
    const directory = join(temporaryDirectory(), 'layer');
    const { root, overlay } = overlayOver({ a: '1' }, { directory });
    await run('echo 2 > a', { overlay });
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const other = new Overlay({ root, directory });
    await expect(other.changes()).rejects.toMatchObject({ code: 'OVERLAY_FAILED' });
    const hidden = await run(`ls ${directory}`, { overlay });
    expect(hidden.stdout).toBe('');
    await overlay.commit();
    expect(existsSync(directory)).toBe(false);
  });

  it('refuses commands after they have written too much', async () => {
    const { overlay, at } = overlayOver({}, { maxBytes: 1024 * 1024 });
    await run('head -c 2000000 /dev/zero > big', { overlay });
    const { status, error } = await run('echo > after', { overlay });
    expect([status, error?.code]).toEqual(['failed', 'OVERLAY_FULL']);
    await overlay.discard();
    expect((await run('ls', { overlay })).exitCode).toBe(0);
    expect(existsSync(at('big'))).toBe(false);
  });

  it('needs a sandbox that writes in its root alone', async () => {
    const { root, overlay } = overlayOver({});
    await expect(run('true', { overlay, sandbox: 'read-only' })).rejects.toThrow(
      /options.sandbox.*workspace-write/,
    );
    await expect(run('true', { overlay, sandbox: false })).rejects.toThrow(/options.sandbox/);
    const writable = { level: 'workspace-write', writable: ['/opt'] } as const;
    await expect(run('true', { overlay, sandbox: writable })).rejects.toThrow(/options.sandbox.writable/);
    await expect(run('true', { overlay: {} as Overlay })).rejects.toThrow(/options.overlay/);
    const { error } = await run('true', { overlay, root: temporaryDirectory() });
    expect(error?.code).toBe('OVERLAY_ROOT');
    expect((await run('pwd', { overlay, sandbox: 'isolated' })).stdout).toBe(`${root}\n`);
  });

  it('says which option is wrong', () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, 'd'));
    expect(() => new Overlay({} as { root: string })).toThrow(/'options.root'/);
    expect(() => new Overlay({ root: join(root, 'none') })).toThrow(/'options.root': expected an existing/);
    expect(() => new Overlay({ root, directory: join(root, 'layer') })).toThrow(/'options.directory'/);
    expect(() => new Overlay({ root, maxBytes: 0 })).toThrow(/'options.maxBytes'/);
  });

  it('has directories to start in that the workspace has not', async () => {
    const { root, overlay } = overlayOver({});
    await run('mkdir -p new/deep; ln -s / link', { overlay });
    const { stdout } = await run('pwd; echo > file', { overlay, cwd: 'new/deep' });
    expect(stdout).toBe(`${root}/new/deep\n`);
    const paths = (await overlay.changes()).map(({ path }) => path);
    expect(paths).toEqual(['link', 'new', 'new/deep', 'new/deep/file']);
    for (const cwd of ['missing', 'link/etc', '../missing']) {
      expect((await run('pwd', { overlay, cwd })).status, cwd).toBe('failed');
    }
  });

  it('refuses paths outside of the root', async () => {
    const { overlay } = overlayOver({});
    for (const path of ['../x', '/etc/passwd', '']) {
      await expect(overlay.commit({ paths: [path] })).rejects.toThrow(/'options.paths\[0\]'/);
    }
  });
});
