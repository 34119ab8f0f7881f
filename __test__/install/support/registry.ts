import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { tool } from './tools.js';

/** A registry on loopback. */
export class Registry {
  readonly url: string;
  readonly token: string;
  readonly #process: ChildProcess;

  private constructor(server: ChildProcess, url: string, token: string) {
    this.#process = server;
    this.url = url;
    this.token = token;
  }

  static async start(directory: string): Promise<Registry> {
    mkdirSync(directory, { recursive: true });
    const server = fork(tool('registry.cjs'), [directory], {
      env: { PATH: process.env.PATH, HOME: directory },
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [port] = await once(server, 'message');
    const url = `http://127.0.0.1:${port}/`;
    const name = 'tester';
    const answer = await fetch(`${url}-/user/org.couchdb.user:${name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password: 'on loopback only', email: 'tester@example.org' }),
    });
    const { token } = (await answer.json()) as { token: string };
    return new Registry(server, url, token);
  }

  /** The lines for `.npmrc`. */
  get settings(): string {
    return [
      `registry=${this.url}`,
      `${this.url.replace('http:', '')}:_authToken=${this.token}`,
      'audit=false',
      'fund=false',
      'update-notifier=false',
      '',
    ].join('\n');
  }

  /** Returns the metadata of a package. */
  async manifest(name: string, version: string): Promise<Record<string, unknown>> {
    const answer = await fetch(`${this.url}${name}/${version}`);
    if (!answer.ok) throw new Error(`${name}@${version}: ${answer.status}`);
    return (await answer.json()) as Record<string, unknown>;
  }

  async stop(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.disconnect();
    await exit;
  }
}
