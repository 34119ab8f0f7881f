import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Overlay, run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { workspace } from './support.js';

/** Options of a sandbox whose home has two files, and the home. */
function withHome() {
  const home = temporaryDirectory();
  writeFileSync(join(home, 'settings'), 'own\n');
  writeFileSync(join(home, 'cache'), 'old\n');
  return { ...workspace(), env: { HOME: home }, home };
}

describe('the private home of a sandbox', { tags: ['sandbox'] }, () => {
  it('has what the host has, and keeps what commands write from the host', async () => {
    const { home, ...options } = withHome();
    const first = await run('cat ~/settings; echo more >> ~/settings; rm ~/cache', options);
    expect(first).toMatchObject({ stdout: 'own\n', stderr: '', sandbox: { missing: [] } });
    const second = await run('cat ~/settings; ls ~', options);
    expect(second.stdout).toBe('own\nmore\nsettings\n');
    expect(readFileSync(join(home, 'settings'), 'utf8')).toBe('own\n');
    expect(readFileSync(join(home, 'cache'), 'utf8')).toBe('old\n');
  });

  it('can be changed by a session after others have used it', async () => {
    const { home: _, ...options } = withHome();
    await using session = new ShellSession(options);
    await session.run(':');
    for (let i = 0; i < 3; i++) await run('echo x > ~/new; rm ~/new', options);
    const { stderr, exitCode } = await session.run(
      'echo more >> ~/settings && rm ~/cache && mv ~/settings ~/moved',
    );
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect((await run('cat ~/moved', options)).stdout).toBe('own\nmore\n');
  });

  it('can be changed by many commands at once', async () => {
    const { home: _, ...options } = withHome();
    const changes = Array.from({ length: 12 }, (_, i) =>
      run(`echo ${i} > ~/file-${i}; sleep 0.2; mv ~/file-${i} ~/moved-${i}`, options),
    );
    for (const { stderr, sandbox } of await Promise.all(changes)) {
      expect([stderr, sandbox?.missing]).toEqual(['', []]);
    }
    expect((await run('ls ~ | grep -c moved-', options)).stdout).toBe('12\n');
  });

  it('has one lock for commands at the same time, also with an overlay', async () => {
    const { home: _, ...options } = withHome();
    const overlay = new Overlay({ root: options.root });
    await run('echo 0 > ~/count', options);
    const increment =
      'for i in $(seq 25); do flock ~/lock sh -c "n=\\$(cat ~/count); echo \\$((n + 1)) > ~/count"; done';
    const ways = [options, { ...options, overlay }, options, { ...options, overlay }];
    const results = await Promise.all(ways.map((way) => run(increment, way)));
    expect(results.map(({ stderr, sandbox }) => [stderr, sandbox?.missing])).toEqual(
      ways.map(() => ['', []]),
    );
    expect((await run('cat ~/count', options)).stdout).toBe('100\n');
    await overlay.discard();
  });

  it('has directories that commands make at the same time', async () => {
    const { home: _, ...options } = withHome();
    const make = 'for i in $(seq 40); do mkdir -p ~/d/$i/e && echo x >> ~/d/$i/e/f || exit 1; done';
    const results = await Promise.all(Array.from({ length: 6 }, () => run(make, options)));
    expect(results.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(results.map(() => [0, '']));
    expect((await run('cat ~/d/*/e/f | wc -l', options)).stdout).toBe('240\n');
  });

  it.each(['commands', 'a session'])('shows what the host saves meanwhile to %s', async (way) => {
    const { home, ...options } = withHome();
    await using session = new ShellSession(options);
    const command = async (text: string) =>
      (way === 'commands' ? await run(text, options) : await session.run(text)).stdout;
    expect(await command('cat ~/settings ~/later; ls ~')).toBe('own\ncache\nsettings\n');
    writeFileSync(join(home, 'settings.new'), 'saved\n');
    renameSync(join(home, 'settings.new'), join(home, 'settings'));
    writeFileSync(join(home, 'later'), 'later\n');
    expect(await command('cat ~/settings ~/later')).toBe('saved\nlater\n');
  });

  it('is another one for another home of the same root', async () => {
    const { home: _, ...options } = withHome();
    const other = withHome();
    await run('echo one > ~/new', options);
    const { stdout } = await run('ls ~', { ...options, env: other.env });
    expect(stdout).toBe('cache\nsettings\n');
    expect((await run('cat ~/new', options)).stdout).toBe('one\n');
  });
});
