// Remembers the directory in which a command ends, for the next one (`session: 'cwd'`).

import { randomInt } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { theHost } from '../../addon/host.mjs';
import { quoteWord } from '../../addon/native.mjs';
import { absolutePath } from '../../options/surroundings/absolute-path.mjs';
import { FILES } from '../../options/surroundings/surroundings.mjs';
import { readShared, removeShared, writeShared } from '../../support/shared-files.mjs';

/**
 * Keeps the directory in which the last command ended. With a root, or with directories that the host has
 * added, it stays within the project or one of those.
 *
 * bash reads the file that `BASH_ENV` names before a command, so the text of the command stays as it is: our
 * file sets a trap that writes the directory at the end of the shell. A command that sets a trap on EXIT
 * itself, or that is replaced by another program, leaves the directory as it was.
 */
class CwdMemory {
  /** The directory of the next command; `undefined` for the host's. */
  current;
  /** The added directory in which `current` lies; `undefined` within the project. */
  currentRoot;
  #host;
  #added;
  #folder;

  /** @param added the directories beside the host's own; `undefined` for no bound but a root */
  constructor(host, added) {
    this.#host = host;
    this.#added = added?.map((path) => absolutePath(path));
  }

  /** Makes the next command start in the host's directory. */
  reset() {
    this.current = undefined;
    this.currentRoot = undefined;
  }

  /**
   * Makes a command write the directory in which it ends, and returns the files of that for
   * {@link CwdMemory.after}. Where no file can be written, the directory is not remembered.
   */
  prepare(options) {
    let files;
    try {
      files = this.#makeScript();
    } catch {
      return undefined;
    }
    options.env = { ...options.env, BASH_ENV: files.script };
    options[FILES] = [this.#folder];
    return files;
  }

  /**
   * Adopts the directory in which a command has ended. Returns the directory to which the session was reset,
   * which is that of its start, or `undefined`.
   */
  after(files, start, project) {
    if (files === undefined) return undefined;
    const ended = readShared(files.end, 'utf8')?.slice(0, -1);
    for (const file of Object.values(files)) removeShared(file);
    // Otherwise the shell was ended before it wrote the directory.
    if (ended === undefined) return undefined;
    const isBound = this.#host.root !== undefined || this.#added !== undefined;
    const isInProject = !isBound || isWithin(project, ended);
    const added = isInProject ? undefined : this.#added?.find((directory) => isWithin(directory, ended));
    if (!isInProject && added === undefined) return start;
    this.current = ended;
    this.currentRoot = added;
    return undefined;
  }

  #makeScript() {
    this.#folder ??= theHost().makePrivateDirectory();
    // The commands before it can't know the number, so its files are not there yet.
    const number = randomInt(2 ** 47);
    const [script, end] = ['env', 'cwd'].map((name) => join(this.#folder, `${name}-${number}`));
    const { env, extendEnv } = this.#host;
    const others = env?.BASH_ENV ?? (extendEnv === false ? undefined : process.env.BASH_ENV);
    const noteDirectory = `{ builtin pwd -P || builtin printf "%s\\n" "$PWD"; } >${quoteWord(end)} 2>/dev/null`;
    const lines = [
      others === undefined ? 'unset BASH_ENV' : `export BASH_ENV=${quoteWord(others)}`,
      // A directory that was removed has no real path, but the name by which the shell got there.
      `trap ${quoteWord(noteDirectory)} EXIT`,
      'if [ -n "${CLAUDE_ENV_FILE-}" ]; then . "$CLAUDE_ENV_FILE"; fi',
      ...(others === undefined ? [] : [`if [ -r "$BASH_ENV" ]; then . "$BASH_ENV"; fi`]),
    ];
    writeShared(script, `${lines.join('\n')}\n`);
    return { script, end };
  }
}

function isWithin(root, path) {
  try {
    const way = relative(realpathSync(root), path);
    return way === '' || !(way === '..' || way.startsWith('../') || way.startsWith('/'));
  } catch {
    return false;
  }
}

export { CwdMemory, isWithin };
