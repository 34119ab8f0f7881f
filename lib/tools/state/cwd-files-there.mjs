// The files by which a shell on a target tells the directory in which it ends.

import { randomInt } from 'node:crypto';
import { quoteWord } from '../../addon/native.ts';
import { cwdScript, PRINT } from './cwd-files-here.mjs';
import { isBelow } from './within.mjs';

/** The variable that names the file of a command: the script is the same for all of them. */
const END = 'AGENT_BASH_CWD_FILE';

/** Prints a file, and behind it the real paths of directories; removes the file. */
const TAKE = `cat -- "$1"; rm -f -- "$1"; shift
for d; do printf '\\0'; cd -- "$d" && pwd -P; done`;

class CwdFilesThere {
  #host;
  #files;
  #script;

  constructor(host, files) {
    this.#host = host;
    this.#files = files;
  }

  /** Makes a command write the directory in which it ends, and returns the files of that. */
  async prepare(options) {
    if (this.#files.directory === null) this.#script = undefined;
    this.#script ??= await this.#files.write('env', () => this.#text());
    if (this.#script === undefined) return undefined;
    const end = `${this.#files.directory}/cwd-${randomInt(2 ** 47)}`;
    options.env = { ...options.env, BASH_ENV: this.#script, [END]: end };
    return { end };
  }

  /**
   * Returns the directory in which the command has ended, and whether that is within one of `directories`;
   * removes the files.
   */
  async take({ end }, directories) {
    const known = directories.filter((directory) => directory !== undefined);
    const [text = '', ...real] = (await this.#files.read(TAKE, end, ...known))?.split('\0') ?? [];
    // The connection was lost, and the files with it; or the shell was ended before it wrote the directory.
    if (text === '') this.#files.forget();
    const ended = text === '' ? undefined : text.slice(0, -1);
    const isWithin = (directory) => {
      const path = real[known.indexOf(directory)]?.slice(0, -1);
      return Boolean(path) && isBelow(path, ended);
    };
    return { ended, isWithin };
  }

  #text() {
    // The name of the file has no characters that are special to a shell.
    const trap = `trap ${quoteWord(`${PRINT} >`)}"$${END}"${quoteWord(' 2>/dev/null')} EXIT; unset ${END}`;
    return cwdScript(this.#host.env?.BASH_ENV, trap);
  }
}

export { CwdFilesThere };
