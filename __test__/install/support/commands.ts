import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tool } from './tools.js';

const run = promisify(execFile);

/** Runs programs as a user would who has just got the machine: nothing of this user's settings and caches. */
export class User {
  readonly home: string;
  readonly #more: NodeJS.ProcessEnv;

  constructor(home: string, more: NodeJS.ProcessEnv = {}) {
    this.home = home;
    this.#more = more;
    mkdirSync(home, { recursive: true });
  }

  /** Returns the same user with more environment variables. */
  with(more: NodeJS.ProcessEnv): User {
    return new User(this.home, more);
  }

  get env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      HOME: this.home,
      LANG: 'C.UTF-8',
      npm_config_globalconfig: join(this.home, 'no-global-npmrc'),
      ...this.#more,
    };
  }

  /** Runs a program and returns its standard output. Rejects unless the exit code is 0. */
  async run(cwd: string, file: string, ...args: string[]): Promise<string> {
    const { stdout } = await run(file, args, { cwd, env: this.env, timeout: 110_000, maxBuffer: 2 ** 26 });
    return stdout;
  }

  node(cwd: string, ...args: string[]): Promise<string> {
    return this.run(cwd, process.execPath, ...args);
  }

  npm(cwd: string, ...args: string[]): Promise<string> {
    return this.run(cwd, 'npm', ...args);
  }

  pnpm(cwd: string, ...args: string[]): Promise<string> {
    return this.node(cwd, tool('node_modules/pnpm/bin/pnpm.cjs'), ...args);
  }

  yarn(cwd: string, ...args: string[]): Promise<string> {
    return this.node(cwd, tool('node_modules/yarn/bin/yarn.js'), ...args);
  }
}
