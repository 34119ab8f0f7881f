import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Overlay, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX } from '../support/node.js';
import { lines, tree } from './support.js';

/** Runs a program of this package after mounts in a mount namespace of its own. */
function withMounts(mounts: string, program: string, words: readonly string[] = []) {
  const source = `import { Overlay, run } from ${JSON.stringify(INDEX)};\n${program}`;
  const script = `${mounts}\nexec "$@"`;
  const node = [process.execPath, '--input-type=module', '-e', source];
  const all = ['--mount', 'sh', '-ec', script, 'sh', ...words, ...node];
  return JSON.parse(execFileSync('unshare', all, { encoding: 'utf8' }));
}

describe('the place of an overlay', { tags: ['sandbox'] }, () => {
  it('may have a path of any length', async () => {
    const root = join(
      temporaryDirectory(),
      ...Array.from({ length: 6 }, () => 'directory-'.repeat(15)),
      'a:b,c\\d',
    );
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'a'), '1');
    const overlay = new Overlay({ root });
    expect(await run('echo 2 > a; echo 3 > b', { overlay })).toMatchObject({ exitCode: 0, stderr: '' });
    await overlay.commit();
    expect(tree(root)).toEqual({ a: '644 2\n', b: '644 3\n' });
    expect(await lines(overlay)).toEqual([]);
  });

  it('may have mounts below it, which appear empty', { tags: ['root'] }, () => {
    const root = temporaryDirectory();
    for (const name of ['mounted', 'other place/inner']) mkdirSync(join(root, name), { recursive: true });
    const mounts = `for d in mounted 'other place/inner'; do mount -t tmpfs none "${root}/$d"; echo x > "${root}/$d/f"; done`;
    const program = `
      const root = ${JSON.stringify(root)};
      const found = [];
      for (const overlay of [new Overlay({ root }), new Overlay({ root })]) {
        const { error, stdout } = await run('ls mounted; echo 1 > new', { overlay });
        found.push(error, stdout, (await overlay.changes()).map(({ path }) => path));
      }
      console.log(JSON.stringify([...found, (await run('cat mounted/f', { cwd: root })).stdout]));`;
    expect(withMounts(mounts, program)).toEqual([null, '', ['new'], null, '', ['new'], 'x\n']);
  });

  it('is named by the error for an ordinary user, who can have no mounts below it', {
    tags: ['root'],
  }, () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, 'mounted'));
    const program = `
      const overlay = new Overlay({ root: ${JSON.stringify(root)} });
      const { error } = await run('true', { overlay });
      console.log(JSON.stringify([error.code, error.message]));`;
    const user = [
      'setpriv',
      '--reuid',
      '12345',
      '--regid',
      '12345',
      '--clear-groups',
      'env',
      'HOME=/nonexistent',
    ];
    const mounts = `chmod 755 ${root}; mount -t tmpfs none ${root}/mounted`;
    const [code, message] = withMounts(mounts, program, user);
    expect(code).toBe('SANDBOX_UNAVAILABLE');
    expect(message).toContain(`'${root}/mounted' below the root is a mount`);
  });

  it('is named by the error if it is on an overlay itself', { tags: ['root'] }, () => {
    const place = temporaryDirectory();
    for (const name of ['l', 'u', 'w', 'm', 'root']) mkdirSync(join(place, name));
    const mounts = `mount -t overlay -o lowerdir=${place}/l,upperdir=${place}/u,workdir=${place}/w none ${place}/m`;
    const program = `
      const overlay = new Overlay({ root: '${place}/root', directory: '${place}/m/layer' });
      const { error } = await run('true', { overlay });
      console.log(JSON.stringify([error.code, error.message]));`;
    const [code, message] = withMounts(mounts, program);
    expect(code).toBe('SANDBOX_UNAVAILABLE');
    expect(message).toContain(`the file system of '${place}/m/layer' can't hold a layer`);
    expect(message).toContain('`directory`');
  });
});
