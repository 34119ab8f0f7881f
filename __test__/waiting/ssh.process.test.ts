import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Jobs, keys } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { nextWait } from '../support/jobs.js';
import { until } from '../support/processes.mjs';

const SSHD = '/usr/sbin/sshd';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Starts a server on the loopback, with its key in `directory`, which ends with the test. Returns its port.
 */
async function sshServer(directory: string): Promise<number> {
  const key = join(directory, 'host-key');
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  // Where the server changes to before it knows a user.
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const port = await freePort();
  const options = [
    'ListenAddress=127.0.0.1',
    'UsePAM=no',
    'PasswordAuthentication=yes',
    'PermitRootLogin=yes',
  ];
  const words = [
    '-D',
    '-e',
    '-f',
    '/dev/null',
    '-h',
    key,
    '-p',
    `${port}`,
    ...options.flatMap((word) => ['-o', word]),
  ];
  const server = spawn(SSHD, words, { stdio: 'ignore' });
  onTestFinished(() => {
    server.kill('SIGKILL');
  });
  await until(() => {
    if (server.exitCode !== null) throw new Error('sshd does not listen');
    return accepts(port);
  }, 'sshd listens');
  return port;
}

describe.skipIf(process.platform !== 'linux')('a program that asks at a terminal of its own accord', () => {
  it('(ssh) waits for a line, and then for a password', { tags: ['sshd'] }, async () => {
    const directory = temporaryDirectory();
    const port = await sshServer(directory);
    await using table = new Jobs();
    const known = join(directory, 'known-hosts');
    const job = table.start(
      `ssh -F none -p ${port} -o UserKnownHostsFile=${known} -o PreferredAuthentications=password -o NumberOfPasswordPrompts=1 root@127.0.0.1`,
      { pty: true },
    );
    const question = await nextWait(job);
    expect(question).toMatchObject({ kind: 'line', program: 'ssh', certain: true });
    expect(question.prompt).toContain('yes/no');
    const password = nextWait(job);
    job.write(`yes${keys('enter')}`);
    expect(await password).toMatchObject({ kind: 'password', program: 'ssh', certain: true });
    expect((await password).prompt).toContain('password:');
    job.write(`wrong${keys('enter')}`);
    expect((await job.result).exitCode).toBe(255);
  });

  it('(sudo) waits for a password', { tags: ['sudo', 'setpriv'] }, async () => {
    await using table = new Jobs();
    const job = table.start('setpriv --reuid=65534 --clear-groups sudo -k -p "Password please: " true', {
      pty: true,
      cwd: '/',
    });
    expect(await nextWait(job)).toMatchObject({
      kind: 'password',
      program: 'sudo',
      prompt: expect.stringContaining('Password please:'),
    });
  });
});
