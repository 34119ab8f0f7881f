// The files by which a shell on this machine tells the directory in which it ends.

import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { theHost } from '../../addon/host.ts';
import { quoteWord } from '../../addon/native.ts';
import { FILES } from '../../options/surroundings/surroundings.ts';
import { readShared, removeShared, writeShared } from '../../support/shared-files.ts';
import { isWithin } from './within.mjs';

class CwdFilesHere {
  #host;
  #folder;

  constructor(host) {
    this.#host = host;
  }

  /** Makes a command write the directory in which it ends, and returns the files of that. */
  prepare(options) {
    this.#folder ??= theHost().makePrivateDirectory();
    // The commands before it can't know the number, so its files are not there yet.
    const number = randomInt(2 ** 47);
    const [script, end] = ['env', 'cwd'].map((name) => join(this.#folder, `${name}-${number}`));
    const { env, extendEnv } = this.#host;
    const others = env?.BASH_ENV ?? (extendEnv === false ? undefined : process.env.BASH_ENV);
    const noteDirectory = `${PRINT} >${quoteWord(end)} 2>/dev/null`;
    writeShared(script, cwdScript(others, `trap ${quoteWord(noteDirectory)} EXIT`));
    options.env = { ...options.env, BASH_ENV: script };
    options[FILES] = [this.#folder];
    return { script, end };
  }

  /** Returns the directory in which the command has ended, and removes the files. */
  take(files) {
    const ended = readShared(files.end, 'utf8')?.slice(0, -1);
    for (const file of Object.values(files)) removeShared(file);
    return { ended, isWithin: (directory) => directory !== undefined && isWithin(directory, ended) };
  }
}

/** Prints the directory. One that was removed has no real path, but the name by which the shell got there. */
const PRINT = '{ builtin pwd -P || builtin printf "%s\\n" "$PWD"; }';

/**
 * Returns the script that bash reads before a command. `trap` makes the shell write its last directory, and
 * `others` is the value of `BASH_ENV` without the script.
 */
function cwdScript(others, trap) {
  const lines = [
    others === undefined ? 'unset BASH_ENV' : `export BASH_ENV=${quoteWord(others)}`,
    trap,
    'if [ -n "${CLAUDE_ENV_FILE-}" ]; then . "$CLAUDE_ENV_FILE"; fi',
    ...(others === undefined ? [] : [`if [ -r "$BASH_ENV" ]; then . "$BASH_ENV"; fi`]),
  ];
  return `${lines.join('\n')}\n`;
}

export { CwdFilesHere, cwdScript, PRINT };
