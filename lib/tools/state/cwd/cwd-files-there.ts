// The files by which a shell on a target tells the directory in which it ends.

import { quoteWord } from '../../../addon/native.ts';
import { withVariables } from '../../../options/surroundings/environment/environment.ts';
import type { SurroundingsPlan } from '../../../options/surroundings/surroundings.ts';
import { isBelow } from '../../../support/paths/within.ts';
import { newFileNumber, numberedFiles } from '../../../support/shared-folder.ts';
import type { ToolSurroundings } from '../../toolset-state.ts';
import type { FilesThere } from '../files-there.ts';
import type { EndDirectory } from './cwd-files-here.ts';
import { cwdScript, PRINT } from './cwd-files-here.ts';

/** The variable that names the file of a command: the script is the same for all of them. */
const END = 'AGENT_BASH_CWD_FILE';

/** Prints a file, and behind it the real paths of directories; removes the file. */
const TAKE = `cat -- "$1"; rm -f -- "$1"; shift
for d; do printf '\\0'; cd -- "$d" && pwd -P; done`;

class CwdFilesThere {
  #surroundings: ToolSurroundings;
  #files: FilesThere;
  #script: string | undefined;

  constructor(surroundings: ToolSurroundings, files: FilesThere) {
    this.#surroundings = surroundings;
    this.#files = files;
  }

  /** Makes a command write the directory in which it ends, and returns the files of that. */
  async prepare(surroundings: SurroundingsPlan): Promise<{ end: string } | undefined> {
    if (this.#files.directory === null) this.#script = undefined;
    this.#script ??= await this.#files.write('env', () => this.#text());
    if (this.#script === undefined) return undefined;
    const end = numberedFiles(this.#files.directory as string, newFileNumber())('cwd');
    const variables = { BASH_ENV: this.#script, [END]: end };
    surroundings.environment = withVariables(surroundings.environment, variables);
    return { end };
  }

  /**
   * Returns the directory in which the command has ended, and whether that is within one of `directories`;
   * removes the files.
   */
  async take({ end }: { end: string }, directories: (string | undefined)[]): Promise<EndDirectory> {
    const known = directories.filter((directory) => directory !== undefined);
    const [text = '', ...real] = (await this.#files.read(TAKE, end, ...known))?.split('\0') ?? [];
    // The connection was lost, and the files with it; or the shell was ended before it wrote the directory.
    if (text === '') this.#files.forget();
    const ended = text === '' ? undefined : text.slice(0, -1);
    const isWithin = (directory: string | undefined) => {
      const path = real[known.indexOf(directory as string)]?.slice(0, -1);
      return Boolean(path) && isBelow(path, ended as string);
    };
    return { ended, isWithin };
  }

  #text(): string {
    // The name of the file has no characters that are special to a shell.
    const trap = `trap ${quoteWord(`${PRINT} >`)}"$${END}"${quoteWord(' 2>/dev/null')} EXIT; unset ${END}`;
    return cwdScript(this.#surroundings.env?.BASH_ENV, trap);
  }
}

export { CwdFilesThere };
