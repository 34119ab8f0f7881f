// A directory on a target for the files through which the calls of a toolset share a state.

import { HIDDEN, withCause } from '../../job/command-events.ts';
import { run } from '../../run.ts';
import type { SessionResult } from '../../session/api.ts';
import { ShellSession } from '../../session/shell-session.ts';
import type { Target } from '../../target/target.ts';

/** The longest time of an operation (ms): it writes or reads a small file. */
const TIMEOUT = 10_000;

/** Prints the private directory of a session's shell, which its open streams show. */
const DIRECTORY = 'd=$(readlink /proc/$$/fd/1) && printf %s "${d%/o}"';

/**
 * The private directory of a shell of its own: it goes with that shell or with the connection, so nothing
 * stays there. If the connection was lost, the next operation makes a new one.
 */
class FilesThere {
  #target: Target;
  #shell: ShellSession | null = null;
  #directory: string | null = null;

  constructor(target: Target) {
    this.#target = target;
  }

  /** The path of the directory, once something was written to it; `null` before. */
  get directory(): string | null {
    return this.#directory;
  }

  /**
   * Writes a file, and returns its path; `undefined` where that is not possible. `text` makes the content
   * from the directory's path, which has no characters that are special to a shell.
   */
  async write(name: string, text: (directory: string) => string): Promise<string | undefined> {
    const { stdout: directory } = await this.#run(DIRECTORY);
    if (!directory.startsWith('/')) return undefined;
    const { exitCode } = await this.#run(`cat >${directory}/${name}`, text(directory));
    if (exitCode !== 0) return undefined;
    this.#directory = directory;
    return `${directory}/${name}`;
  }

  /** Returns what a command prints that reads the files. Its words are arguments of a script for `sh`. */
  async read(script: string, ...words: string[]): Promise<string | undefined> {
    const { status, stdout } = await withCause(HIDDEN, () =>
      run(['sh', '-c', script, 'sh', ...words], { target: this.#target, timeout: TIMEOUT }),
    );
    return status === 'exited' ? stdout : undefined;
  }

  /** Forgets the files, which went with a lost connection. */
  forget(): void {
    this.#directory = null;
  }

  async close(): Promise<void> {
    await this.#shell?.close();
  }

  #run(command: string, input?: string): Promise<SessionResult> {
    this.#shell ??= new ShellSession({ target: this.#target, shell: '/bin/sh' });
    const shell = this.#shell;
    return withCause(HIDDEN, () => shell.run(command, { input, timeout: TIMEOUT }));
  }
}

export { FilesThere };
