import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { workspace } from './support.js';

/** Options of a sandbox whose home has two files, and the home. */
function withHome() {
  const home = temporaryDirectory();
  writeFileSync(join(home, 'settings'), 'own\n');
  writeFileSync(join(home, 'cache'), 'old\n');
  return { ...workspace(), env: { HOME: home }, home };
}

describe.skipIf(process.platform !== 'linux')('the private home of a sandbox', () => {
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
});
