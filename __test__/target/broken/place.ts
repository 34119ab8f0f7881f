import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Target } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { living, until } from '../../support/processes.mjs';

/** The time after which nothing may be left (ms): the deadline of the heartbeat, and 2 s. */
export const PROMISED = 12_000;

/** Passes the script on: `head` would keep it until more comes. */
export const PASS_SCRIPT = `IFS= read -r x; printf '%s\\n' "$x"`;

/** A home of its own, and a target there behind a line of shell, in which `$there` runs the words. */
export class Place {
  readonly home = temporaryDirectory();

  constructor(shell: string) {
    mkdirSync(join(this.home, 'tmp'));
    // The first of the words is `sh`.
    const line = `shift; exec env -i PATH="$PATH" HOME='${this.home}' TMPDIR='${this.home}/tmp' ${shell} "$@"`;
    this.#write('there', line);
  }

  /** Writes a program that is a line of shell, and returns its path. */
  transport(line: string): string {
    return this.#write('transport', `there='${this.home}/there'\n${line}`);
  }

  target(line: string, connectTimeout = 5_000): Target {
    return new Target({ exec: [this.transport(line)], connectTimeout });
  }

  #write(name: string, lines: string): string {
    const path = join(this.home, name);
    writeFileSync(path, `#!/bin/sh\n${lines}\n`, { mode: 0o700 });
    return path;
  }

  /** The processes there, which have the home in their environment. */
  processes(): number[] {
    return readdirSync('/proc').flatMap((name) => {
      try {
        const variables = readFileSync(`/proc/${Number(name)}/environ`, 'utf8').split('\0');
        return variables.includes(`HOME=${this.home}`) ? [Number(name)] : [];
      } catch {
        // No process, or one that has exited.
        return [];
      }
    });
  }

  /** The files there but a whole cached helper. */
  files(): string[] {
    const cache = join(this.home, '.cache/agent-bash');
    const cached = existsSync(cache) ? readdirSync(cache) : [];
    const others = cached.filter((name) => !/^helper-[0-9a-f]{64}$/.test(name));
    return [...others, ...readdirSync(join(this.home, 'tmp'))];
  }

  async expectNothing(seconds: string): Promise<void> {
    // A transport that has just started has another environment yet, and may still make a file.
    const left = () => [...this.processes(), ...living(seconds), ...this.files()];
    await until(() => left().length === 0, 'no process and no file is left', PROMISED);
  }
}
