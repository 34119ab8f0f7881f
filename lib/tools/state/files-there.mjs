// A directory on a target for the files through which the calls of a toolset share a state.

import { HIDDEN, withCause } from '../../job/command-events.ts';
import { run } from '../../run.ts';
import { ShellSession } from '../../session/shell-session.ts';

/** The longest time of an operation (ms): it writes or reads a small file. */
const TIMEOUT = 10_000;

/** Prints the private directory of a session's shell, which its open streams show. */
const DIRECTORY = 'd=$(readlink /proc/$$/fd/1) && printf %s "${d%/o}"';

/**
 * The private directory of a shell of its own: it goes with that shell or with the connection, so nothing stays
 * there. If the connection was lost, the next operation makes a new one.
 */
class FilesThere {
  #target;
  #shell = null;
  #directory = null;

  constructor(target) {
    this.#target = target;
  }

  /** The path of the directory, once something was written to it; `null` before. */
  get directory() {
    return this.#directory;
  }

  /**
   * Writes a file, and returns its path; `undefined` where that is not possible. `text` makes the content from
   * the directory's path, which has no characters that are special to a shell.
   */
  async write(name, text) {
    const { stdout: directory } = await this.#run(DIRECTORY);
    if (!directory.startsWith('/')) return undefined;
    const { exitCode } = await this.#run(`cat >${directory}/${name}`, text(directory));
    if (exitCode !== 0) return undefined;
    this.#directory = directory;
    return `${directory}/${name}`;
  }

  /** Returns what a command prints that reads the files. Its words are arguments of a script for `sh`. */
  async read(script, ...words) {
    const { status, stdout } = await withCause(HIDDEN, () =>
      run(['sh', '-c', script, 'sh', ...words], { target: this.#target, timeout: TIMEOUT }),
    );
    return status === 'exited' ? stdout : undefined;
  }

  /** Forgets the files, which went with a lost connection. */
  forget() {
    this.#directory = null;
  }

  async close() {
    await this.#shell?.close();
  }

  #run(command, input) {
    this.#shell ??= new ShellSession({ target: this.#target, shell: '/bin/sh' });
    return withCause(HIDDEN, () => this.#shell.run(command, { input, timeout: TIMEOUT }));
  }
}

export { FilesThere };
