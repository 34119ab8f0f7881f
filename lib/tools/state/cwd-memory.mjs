// Remembers the directory in which a command ends, for the next one (`session: 'cwd'`).

import { CwdFilesHere } from './cwd-files-here.mjs';
import { CwdFilesThere } from './cwd-files-there.mjs';

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
  /** The files, which are here or on a target. */
  #files;

  /**
   * @param added the directories beside the host's own, as absolute paths; `undefined` for no bound but a root
   */
  constructor(host, added, files) {
    this.#host = host;
    this.#added = added;
    this.#files = files === undefined ? new CwdFilesHere(host) : new CwdFilesThere(host, files);
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
  async prepare(options) {
    try {
      return await this.#files.prepare(options);
    } catch {
      return undefined;
    }
  }

  /**
   * Adopts the directory in which a command has ended. Returns the directory to which the session was reset,
   * which is that of its start, or `undefined`.
   */
  async after(files, start, project) {
    if (files === undefined) return undefined;
    const { ended, isWithin } = await this.#files.take(files, [project, ...(this.#added ?? [])]);
    // Otherwise the shell was ended before it wrote the directory.
    if (ended === undefined) return undefined;
    const isBound = this.#host.root !== undefined || this.#added !== undefined;
    const isInProject = !isBound || isWithin(project);
    const added = isInProject ? undefined : this.#added?.find(isWithin);
    if (!isInProject && added === undefined) return start;
    this.current = ended;
    this.currentRoot = added;
    return undefined;
  }
}

export { CwdMemory };
