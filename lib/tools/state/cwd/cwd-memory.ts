// Remembers the directory in which a command ends, for the next one (`session: 'cwd'`).

import type { SurroundingsPlan } from '../../../options/surroundings/surroundings.ts';
import type { ToolSurroundings } from '../../toolset-state.ts';
import type { FilesThere } from '../files-there.ts';
import type { EndDirectory, FilesHere } from './cwd-files-here.ts';
import { CwdFilesHere } from './cwd-files-here.ts';
import { CwdFilesThere } from './cwd-files-there.ts';

/** The files of one command, as those made them that are asked for them. */
export type CommandFiles = FilesHere | { end: string };

/** The files of all commands, here or on a target. */
interface Files {
  prepare(surroundings: SurroundingsPlan): CommandFiles | Promise<CommandFiles | undefined>;
  take(files: CommandFiles, directories: (string | undefined)[]): EndDirectory | Promise<EndDirectory>;
}

/**
 * Keeps the directory in which the last command ended. With a root, or with directories that the host has
 * added, it stays within the project or one of those.
 *
 * bash reads the file that `BASH_ENV` names before a command, so the text of the command stays as it is: our
 * file sets a trap that writes the directory at the end of the shell. `sh` reads no such file, so the trap is
 * the beginning of the command's first line. A command that sets a trap on EXIT itself, or that is replaced
 * by another program, leaves the directory as it was.
 */
class CwdMemory {
  /** The directory of the next command; `undefined` for the host's. */
  current: string | undefined;
  /** The added directory in which `current` lies; `undefined` within the project. */
  currentRoot: string | undefined;
  #surroundings: ToolSurroundings;
  #added: string[] | undefined;
  /** The files, which are here or on a target. */
  #files: Files;

  /**
   * @param added the directories beside the host's own, as absolute paths; `undefined` for no bound but a
   * root
   */
  constructor(surroundings: ToolSurroundings, added: string[] | undefined, files: FilesThere | undefined) {
    this.#surroundings = surroundings;
    this.#added = added;
    this.#files =
      files === undefined ? new CwdFilesHere(surroundings) : new CwdFilesThere(surroundings, files);
  }

  /** Makes the next command start in the host's directory. */
  reset(): void {
    this.current = undefined;
    this.currentRoot = undefined;
  }

  /**
   * Makes a command write the directory in which it ends, and returns the files of that for
   * {@link CwdMemory.after}. Where no file can be written, the directory is not remembered.
   */
  async prepare(surroundings: SurroundingsPlan): Promise<CommandFiles | undefined> {
    try {
      return await this.#files.prepare(surroundings);
    } catch {
      return undefined;
    }
  }

  /**
   * Adopts the directory in which a command has ended. Returns the directory to which the session was reset,
   * which is that of its start, or `undefined`.
   */
  async after(
    files: CommandFiles | undefined,
    start: string | undefined,
    project: string | undefined,
  ): Promise<string | undefined> {
    if (files === undefined) return undefined;
    const { ended, isWithin } = await this.#files.take(files, [project, ...(this.#added ?? [])]);
    // Otherwise the shell was ended before it wrote the directory.
    if (ended === undefined) return undefined;
    const isBound = this.#surroundings.root !== undefined || this.#added !== undefined;
    const isInProject = !isBound || isWithin(project);
    const added = isInProject ? undefined : this.#added?.find(isWithin);
    if (!isInProject && added === undefined) return start;
    this.current = ended;
    this.currentRoot = added;
    return undefined;
  }
}

export { CwdMemory };
