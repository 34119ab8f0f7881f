// A server of ssh on the loopback interface, and ports before it that delay its bytes.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DELAYED = fileURLToPath(new URL('./delayed-port.mjs', import.meta.url));

/** Returns a port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts the server. Its clients have a configuration for each round trip, in which it is called `box`. */
export async function startSshd() {
  const directory = mkdtempSync(join(tmpdir(), 'agent-bash-sshd-'));
  const at = (name) => join(directory, name);
  const programs = [];
  for (const name of ['host', 'key']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
  }
  const port = await freePort();
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${at('host')}`,
    'PidFile none',
    `AuthorizedKeysFile ${at('key.pub')}`,
    'StrictModes no',
    'UsePAM no',
    'PermitRootLogin prohibit-password',
    `SetEnv XDG_CACHE_HOME=${at('cache')} PATH=${process.env.PATH}`,
    'Subsystem sftp internal-sftp',
  ];
  mkdirSync(at('cache'));
  mkdirSync('/run/sshd', { recursive: true });
  writeFileSync(at('sshd_config'), `${lines.join('\n')}\n`);
  const server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', at('sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  programs.push(server);
  let log = '';
  for await (const text of server.stderr.iterator({ destroyOnReturn: false })) {
    log += text;
    if (log.includes('Server listening')) break;
  }
  server.stderr.resume();
  return {
    directory,
    /** Returns the path of a client's configuration for a connection with this round trip (ms). */
    async config(roundTrip) {
      let reached = port;
      if (roundTrip > 0) {
        const words = [DELAYED, `${roundTrip / 2}`, `${port}`];
        const delayed = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
        programs.push(delayed);
        reached = Number((await once(delayed.stdout, 'data'))[0]);
      }
      const path = at(`config-${roundTrip}`);
      writeFileSync(at(`known-${roundTrip}`), `[127.0.0.1]:${reached} ${readFileSync(at('host.pub'))}`);
      const client = [
        'Host box',
        'HostName 127.0.0.1',
        `Port ${reached}`,
        `User ${userInfo().username}`,
        `IdentityFile ${at('key')}`,
        'IdentitiesOnly yes',
        `UserKnownHostsFile ${at(`known-${roundTrip}`)}`,
        'GlobalKnownHostsFile none',
        'LogLevel ERROR',
      ];
      writeFileSync(path, `${client.join('\n')}\n`);
      return path;
    },
    stop() {
      for (const program of programs) program.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
