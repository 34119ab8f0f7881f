import { join } from 'node:path';
import { theBinding } from '../addon/binding.ts';
import { answered } from '../addon/native-error.ts';

/** The numbers of commands end below this. */
const MAX_NUMBER = 2 ** 47;

/**
 * Returns the number in the names of the files of one command. The commands before it can't know the number,
 * so none of its files is there yet.
 */
function newFileNumber(): number {
  const { randomInt } = require('node:crypto') as typeof import('node:crypto');
  return randomInt(MAX_NUMBER);
}

/** Returns a function from the name of a file with this number to its path. */
function numberedFiles(directory: string, number: number): (name: string) => string {
  return (name) => join(directory, `${name}-${number}`);
}

/**
 * A private directory on this machine for the files that agent-bash shares with commands. It is made with its
 * first use, and lasts until `remove()` or the end of Node.js. Its path has no characters that are special to
 * a shell.
 */
class SharedFolder {
  #path: string | null = null;

  /** The path; `null` while there is no directory. */
  get path(): string | null {
    return this.#path;
  }

  /** Returns the path, and makes the directory where there is none. Throws if it can't be made. */
  make(): string {
    this.#path ??= answered(theBinding().makePrivateDirectory());
    return this.#path;
  }

  remove(): void {
    if (this.#path !== null) theBinding().removePrivateDirectory(this.#path);
    this.#path = null;
  }
}

/**
 * The part that the path of each such directory has, with the end of its parent's
 * (`src/process/directory/private.rs`).
 */
const FOLDER_NAME = '/agent-bash.';

/** The beginning of a pattern for these paths. */
const BEGIN = '(?:/[^\\s/:\'"`]+)*/agent-bash\\.';

/** Matches the path of a file with a command of a session, or of a script beside it. */
const SESSION_FILE: string = `${BEGIN}\\d+\\.[0-9a-f]+/(?:command|end|keep|next|a|b)(?:-\\d+)?`;

/** Matches the path of a numbered file, also in a directory that a replay has made. */
const NUMBERED_FILE: string = `${BEGIN}[\\w.]+/[a-z]+-\\d+`;

export { FOLDER_NAME, NUMBERED_FILE, newFileNumber, numberedFiles, SESSION_FILE, SharedFolder };
