import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { TargetOptions } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';

const SSHD = '/usr/sbin/sshd';

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** A server of ssh on the loopback interface, while the tests of a block run. */
export class Sshd {
  readonly directory = temporaryDirectory();
  #port = 0;

  /**
   * `environment` has further variables of its commands, as `NAME=value`, `more` further lines of the
   * server's configuration.
   */
  constructor(environment: string[] = [], more: string[] = []) {
    let server: ReturnType<typeof spawn>;
    beforeAll(async () => {
      this.#port = await freePort();
      this.#writeFiles(environment, more);
      server = spawn(SSHD, ['-D', '-e', '-f', this.at('sshd_config')], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let log = '';
      server.stderr?.on('data', (text) => {
        log += text;
      });
      await until(() => log.includes('Server listening'), 'the server listens');
    });
    afterAll(() => {
      server?.kill();
    });
  }

  get port(): number {
    return this.#port;
  }

  at(name: string): string {
    return join(this.directory, name);
  }

  /** Writes a client's configuration, and returns its path. */
  config(name: string, { known = 'known', key = 'key', more = '' } = {}): string {
    const lines = [
      'Host box',
      'HostName 127.0.0.1',
      `Port ${this.#port}`,
      `User ${userInfo().username}`,
      `IdentityFile ${this.at(key)}`,
      'IdentitiesOnly yes',
      `UserKnownHostsFile ${this.at(known)}`,
      'GlobalKnownHostsFile none',
      more,
    ];
    writeFileSync(this.at(name), `${lines.join('\n')}\n`);
    return this.at(name);
  }

  box(name: string, options: object = {}): TargetOptions {
    return { ssh: { host: 'box', config: this.config(name, options) } };
  }

  #writeFiles(environment: string[], more: string[]): void {
    for (const name of ['host', 'other-host', 'key', 'other-key'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', this.at(name)]);
    const write = (name: string, text: string) => writeFileSync(this.at(name), text);
    const read = (name: string) => readFileSync(this.at(name), 'utf8');
    write('authorized', read('key.pub'));
    write('known', `[127.0.0.1]:${this.#port} ${read('host.pub')}`);
    write('changed', `[127.0.0.1]:${this.#port} ${read('other-host.pub')}`);
    write('empty', '');
    mkdirSync(this.at('cache'));
    const lines = [
      `Port ${this.#port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${this.at('host')}`,
      'PidFile none',
      `AuthorizedKeysFile ${this.at('authorized')}`,
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin prohibit-password',
      'MaxStartups 100:30:200',
      // The server takes the first line of this kind alone.
      `SetEnv XDG_CACHE_HOME=${this.at('cache')} ${environment.join(' ')}`,
      ...more,
    ];
    write('sshd_config', lines.join('\n'));
    mkdirSync('/run/sshd', { recursive: true });
  }
}
