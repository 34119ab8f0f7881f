import { describe, expect, it } from 'vitest';
import { inWorld } from './world.js';

describe('ssh in a sandbox with its agent', { tags: ['root', 'sandbox', 'sshd', 'ssh-keygen'] }, () => {
  it('connects to a listed host by a key that the sandbox does not see', async () => {
    const result = await inWorld<{ stdout: string; stderr: string; exitCode: number }>(`
      import { execFileSync, spawn } from 'node:child_process';
      import { once } from 'node:events';
      import { mkdirSync } from 'node:fs';
      import { connect } from 'node:net';
      import { join } from 'node:path';
      const { run } = await import(process.env.INDEX);
      const home = join(DIRECTORY, 'home');
      const at = (name) => join(home, '.ssh', name);
      mkdirSync(at(''), { mode: 0o700 });
      const key = (path) => execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
      key(join(DIRECTORY, 'host'));
      key(at('id_ed25519'));
      const text = (path) => String(execFileSync('cat', [path]));
      writeFileSync(at('known_hosts'), 'registry.test ' + text(join(DIRECTORY, 'host.pub')));
      writeFileSync(at('config'), 'UserKnownHostsFile ' + at('known_hosts') + '\\n');
      mkdirSync('/run/sshd', { recursive: true });
      const settings = ['ListenAddress=' + PUBLIC, 'HostKey=' + join(DIRECTORY, 'host'), 'PidFile=none', 'StrictModes=no',
        'AuthorizedKeysFile=' + at('id_ed25519.pub'), 'PermitRootLogin=yes', 'UsePAM=no'];
      const server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', '/dev/null', ...settings.flatMap((line) => ['-o', line])]);
      const answers = () => new Promise((resolve) => connect(22, PUBLIC, () => resolve(true)).on('error', () => resolve(false)));
      while (!(await answers()));
      const socket = join(DIRECTORY, 'agent');
      const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'pipe' });
      await once(agent.stdout, 'data');
      const env = { ...process.env, SSH_AUTH_SOCK: socket };
      execFileSync('ssh-add', ['-q', at('id_ed25519')], { env });
      const line = 'cat ~/.ssh/id_ed25519; ssh -F ~/.ssh/config -o BatchMode=yes root@registry.test echo over ssh';
      const sandbox = { level: 'workspace-write', sockets: ['ssh-agent'], network: { allow: ['registry.test:22'] } };
      const { stdout, stderr, exitCode } = await run(line, { root: ROOT, sandbox, env: { HOME: home, SSH_AUTH_SOCK: socket } });
      for (const started of [server, agent]) started.kill();
      report({ stdout, stderr, exitCode });
    `);
    expect(result).toEqual({
      stdout: 'over ssh\n',
      stderr: expect.stringContaining('id_ed25519: No such file'),
      exitCode: 0,
    });
  });
});
