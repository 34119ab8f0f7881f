import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { BashJob, bash, run } from '../../index.js';
import { lines, overlayOver, tree } from './support.js';

describe('an overlay of tools', { tags: ['sandbox'] }, () => {
  it.each(['none', 'cwd', 'carry', 'live'] as const)(
    'has all calls of a toolset with session %s',
    async (session) => {
      const { overlay, at } = overlayOver({ a: '1\n' });
      const toolset = createTools('bash', { overlay, session });
      expect(toolset.overlay).toBe(overlay);
      expect(toolset.tools[0]?.description).toContain('Commands run in a sandbox');
      await toolset.call('bash', { command: 'echo 2 > a' });
      await toolset.call('bash', { command: 'mkdir new; echo 3 > new/b' });
      const { text } = await toolset.call('bash', { command: 'cat a new/b' });
      expect(text).toContain('2\n3');
      expect(await lines(overlay)).toEqual([
        'file a modified',
        'directory new created',
        'file new/b created',
      ]);
      expect(readFileSync(at('a'), 'utf8')).toBe('1\n');
      // A part is accepted while the toolset goes on.
      await overlay.commit({ paths: ['new'] });
      expect(readFileSync(at('new/b'), 'utf8')).toBe('3\n');
      await toolset.dispose();
      await overlay.discard();
      expect(readFileSync(at('a'), 'utf8')).toBe('1\n');
    },
  );

  it('keeps a directory of a session that the workspace has not', async () => {
    const { root, overlay } = overlayOver({});
    const toolset = createTools('bash', { overlay, session: 'live' });
    await toolset.call('bash', { command: 'mkdir new && cd new' });
    const { text } = await toolset.call('bash', { command: 'pwd' });
    expect(text).toContain(`${root}/new`);
    await toolset.dispose();
  });

  it('refuses what would be written outside of it', () => {
    const { overlay } = overlayOver({});
    const sandbox = { level: 'workspace-write', escalate: 'ask' } as const;
    const approve = () => 'allow' as const;
    expect(() => createTools('bash', { overlay, sandbox, approve })).toThrow(/options.sandbox.escalate/);
  });

  it('has no toolset without the option', async () => {
    const toolset = createTools('bash');
    expect(toolset.overlay).toBeUndefined();
    await toolset.dispose();
  });

  it('is an option of bash() and BashJob', async () => {
    const { root, overlay, at } = overlayOver({});
    expect(await bash({ command: 'echo 1 > a; cat a' }, root, false, { overlay })).toBe(
      '1\n\n[Exit code: 0]',
    );
    const job = new BashJob({ command: 'cat a; echo 2 > b' }, root, false, { overlay });
    expect((await job.result).stdout).toBe('1\n');
    expect(existsSync(at('a')) || existsSync(at('b'))).toBe(false);
    expect(await lines(overlay)).toEqual(['file a created', 'file b created']);
  });

  it('gives a patch that git applies, with the same result as a commit', async () => {
    const before = {
      a: 'a\n',
      b: 'b',
      'with space': '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
      gone: 'x',
      'm"ö': 'z\n',
      moved: 'm\n',
      kind: 'k\n',
    };
    const { root, overlay } = overlayOver(before);
    const changes = [
      'echo 2 >> a; echo more >> b; sed -i s/5/five/ "with space"; rm gone; mv moved here; rm kind; ln -s x kind',
      `chmod +x 'm"ö'; mkdir d; echo new > d/new; ln -s a link; printf end > end; : > empty`,
    ];
    expect(await run(changes.join('; '), { overlay })).toMatchObject({ exitCode: 0, stderr: '' });
    const patch = await overlay.diff();
    const copy = overlayOver(before).root;
    execFileSync('git', ['apply', '-'], { cwd: copy, input: patch });
    await overlay.commit();
    expect(tree(copy)).toEqual(tree(root));
  });

  it('is a patch for git, whatever is in the files', async () => {
    const before = (root: string) => {
      writeFileSync(join(root, 'binary'), '\0one');
      writeFileSync(join(root, 'gone'), Buffer.from([0, 255]));
      writeFileSync(join(root, 'latin'), Buffer.from('caf\u00e9\nth\u00e9\n', 'latin1'));
      writeFileSync(join(root, 'large'), 'x'.repeat(17 << 20));
      writeFileSync(join(root, 'mode'), 'x'.repeat(17 << 20));
      writeFileSync(join(root, 'text'), '1\n');
      writeFileSync(join(root, 'moved'), '\0moved');
    };
    const { root, overlay } = overlayOver({});
    const copy = overlayOver({}).root;
    for (const each of [root, copy]) before(each);
    const command = String.raw`head -c 70000 /dev/urandom > binary; rm gone; printf 'caf\xe8\n' > latin; echo y >> large
      chmod +x mode; echo 2 > text; printf '\0' > new; mv moved here; ln -s $'\xff' link`;
    expect(await run(command, { overlay })).toMatchObject({ exitCode: 0, stderr: '' });
    const patch = await overlay.diff({ maxBytes: 64 << 20 });
    execFileSync('git', ['apply', '-'], { cwd: copy, input: patch });
    await overlay.commit();
    expect(tree(copy)).toEqual(tree(root));
    execFileSync('git', ['apply', '-R', '-'], { cwd: copy, input: patch });
    before(root);
    expect(readFileSync(join(copy, 'binary'))).toEqual(readFileSync(join(root, 'binary')));
    expect(readdirSync(copy)).toEqual(['binary', 'gone', 'large', 'latin', 'mode', 'moved', 'text']);
  });

  it('has lines of text in any encoding to read, and binary files for git to leave out', async () => {
    const { root, overlay } = overlayOver({ binary: '\0one', text: '1\n' });
    writeFileSync(join(root, 'latin'), Buffer.from('caf\u00e9\nth\u00e9\n', 'latin1'));
    await run(String.raw`printf '\0two' > binary; echo more >> latin; echo 2 > text`, { overlay });
    const patch = await overlay.diff({ binary: false });
    expect(patch).toContain(' caf\ufffd\n th\ufffd\n+more\n');
    const words = ['apply', '--exclude', 'binary', '--exclude', 'latin', '-'];
    execFileSync('git', words, { cwd: root, input: patch });
    expect(readFileSync(join(root, 'text'), 'utf8')).toBe('2\n');
  });

  it('shows binary files by a line, and as much as fits', async () => {
    const { overlay } = overlayOver({ binary: '\0one' });
    await run(String.raw`printf '\0two' > binary; seq 1000 > x1; seq 1000 > x2`, { overlay });
    const patch = await overlay.diff({ maxBytes: 6000, binary: false });
    expect(patch).toContain('Binary files a/binary and b/binary differ\n');
    expect(patch).toContain('+++ b/x1\n');
    expect(patch).toMatch(/# 1 more file is not shown \(maxBytes\)\n$/);
    expect(await overlay.diff({ paths: ['binary'], context: 0 })).not.toContain('x1');
  });
});
