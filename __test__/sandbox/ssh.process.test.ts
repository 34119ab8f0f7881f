import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../index.js';
import { session } from '../session/support.js';
import { until } from '../support/processes.mjs';
import { workspace } from './support.js';

const key = (path: string) => execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);

/** Options of a sandbox whose home has keys and settings of ssh, and the directory of these. */
function withKeys(level: object = {}) {
  // Not below /tmp, which is private to the sandbox.
  const home = mkdtempSync('/var/tmp/agent-bash-test-');
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const ssh = join(home, '.ssh');
  mkdirSync(join(ssh, 'config.d'), { recursive: true, mode: 0o700 });
  key(join(ssh, 'id_ed25519'));
  writeFileSync(join(ssh, 'config'), `Include ${ssh}/config.d/*\n`, { mode: 0o600 });
  writeFileSync(join(ssh, 'config.d/work'), 'Host work\n  HostName work.example.org\n', { mode: 0o600 });
  writeFileSync(join(ssh, 'known_hosts'), 'work.example.org ssh-ed25519 AAAA\n');
  writeFileSync(join(ssh, 'authorized_keys'), 'x\n');
  return { ...workspace(level), env: { HOME: home }, ssh };
}

describe('~/.ssh in a sandbox', { tags: ['sandbox', 'ssh-keygen'] }, () => {
  it.each(['workspace-write', 'read-only'])('has what is public, and no private key: %s', async (level) => {
    const { ssh: _, ...options } = withKeys({ level });
    const { stdout } = await run('cd ~/.ssh; ls; cat id_ed25519 authorized_keys', options);
    expect(stdout).toBe('config\nconfig.d\nid_ed25519.pub\nknown_hosts\n');
  });

  it('gives ssh its settings and public keys', async () => {
    const { ssh, ...options } = withKeys();
    const settings = await run('ssh -F ~/.ssh/config -G work', options);
    expect(settings.stdout).toContain('hostname work.example.org\n');
    const { stdout } = await run('ssh-keygen -lf ~/.ssh/id_ed25519.pub', options);
    expect(stdout).toBe(String(execFileSync('ssh-keygen', ['-lf', join(ssh, 'id_ed25519.pub')])));
  });

  it('can not be changed', async () => {
    const { ssh: _, ...options } = withKeys();
    const { stdout } = await run(
      'echo x >> ~/.ssh/config || echo no; rm ~/.ssh/known_hosts || echo no',
      options,
    );
    expect(stdout).toBe('no\nno\n');
  });

  it('shows no key that comes later, under any name', async () => {
    const { ssh, ...options } = withKeys();
    const shell = session(options);
    await shell.run(':');
    key(join(ssh, 'later'));
    renameSync(join(ssh, 'id_ed25519'), join(ssh, 'id_ed25519.pub'));
    expect((await shell.run('grep -l PRIVATE ~/.ssh/* ~/.ssh/later')).stdout).toBe('');
    expect((await run('grep -l PRIVATE ~/.ssh/* ~/.ssh/later; ls ~/.ssh/*.pub', options)).stdout).toBe(
      `${join(ssh, 'later.pub')}\n`,
    );
  });

  it('shows the same when the host has replaced the directory', async () => {
    const { ssh, ...options } = withKeys();
    const shell = session(options);
    await shell.run(':');
    renameSync(ssh, `${ssh}.old`);
    mkdirSync(ssh);
    key(join(ssh, 'id_new'));
    const names = async () => (await shell.run('ls ~/.ssh')).stdout;
    const expected = 'config\nconfig.d\nid_ed25519.pub\nknown_hosts\n';
    await until(async () => (await names()) === expected, 'it is hidden again');
  });

  it('has links that lead to what the sandbox shows', async () => {
    const { ssh, ...options } = withKeys();
    const elsewhere = join(options.env.HOME, 'settings');
    writeFileSync(elsewhere, 'Host *\n');
    symlinkSync(elsewhere, join(ssh, 'config.more'));
    symlinkSync('id_ed25519', join(ssh, 'link.pub'));
    const { stdout } = await run('cat ~/.ssh/config.more ~/.ssh/link.pub', options);
    expect(stdout).toBe('Host *\n');
  });

  it('is empty where hidden names it', async () => {
    const { ssh: _, ...options } = withKeys({ hidden: ['~/.ssh'] });
    expect((await run('ls -A ~/.ssh', options)).stdout).toBe('');
    const { ssh: _part, ...part } = withKeys({ hidden: ['~/.ssh/config.d'] });
    const { stdout } = await run('ls ~/.ssh', part);
    expect(stdout).toBe('config\nid_ed25519.pub\nknown_hosts\n');
  });
});
