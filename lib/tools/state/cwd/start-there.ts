// The directory on a target in which commands start for which the model names none.

import { directoriesThere } from '../../../options/surroundings/target-surroundings.ts';
import type { Target } from '../../../target/target.ts';
import type { ToolSurroundings } from '../../toolset-state.ts';
import type { CommandStart } from './start-directory.ts';

/**
 * The directory of the host's options, as a path on the target. Without one, commands start where the shell
 * there starts, which is known once a command has run.
 */
class StartThere {
  #surroundings: ToolSurroundings;
  #target: Target;
  #root: string | undefined;
  #path: string | undefined;

  constructor(surroundings: ToolSurroundings, target: Target) {
    this.#surroundings = surroundings;
    this.#target = target;
    const { cwd, root } = directoriesThere(surroundings.cwd, surroundings.root, target);
    this.#root = root;
    this.#path = cwd === '' ? undefined : cwd;
  }

  /** Returns the directory for the engine. Whether it is there can't be told from here. */
  find(current?: string): CommandStart {
    return { cwd: current ?? this.#surroundings.cwd };
  }

  /** The directory of the options; `undefined` if it is not known. */
  get path(): string | undefined {
    return this.#path;
  }

  /** The directory within which a session may go. */
  get project(): string | undefined {
    return this.#root ?? this.#path;
  }

  /** Notes where a command has started for which neither the model nor the options name a directory. */
  learn(directory: string | null): void {
    if (directory?.startsWith('/')) this.#path ??= directory;
  }

  /**
   * Returns a path as an absolute one there, by default the directory of the options; `undefined` if that is
   * not known.
   */
  absolute(path = ''): string | undefined {
    if (path === '') return this.#path;
    if (path.startsWith('/')) return this.#target.pathThere(path);
    const top = this.#root ?? this.#target.workspace ?? this.#path;
    return top && `${top}/${path}`;
  }
}

export { StartThere };
