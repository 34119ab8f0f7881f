// The directory on a target in which commands start for which the model names none.

import { directoriesThere } from '../../options/surroundings/target.ts';

/**
 * The directory of the host's options, as a path on the target. Without one, commands start where the shell
 * there starts, which is known once a command has run.
 */
class StartThere {
  #host;
  #root;
  #path;

  constructor(host) {
    this.#host = host;
    const { cwd, root } = directoriesThere(host.cwd, host.root, host.target);
    this.#root = root;
    this.#path = cwd === '' ? undefined : cwd;
  }

  /** Returns the directory for the engine. Whether it is there can't be told from here. */
  find(current) {
    return { cwd: current ?? this.#host.cwd };
  }

  /** The directory of the options; `undefined` if it is not known. */
  get path() {
    return this.#path;
  }

  /** The directory within which a session may go. */
  get project() {
    return this.#root ?? this.#path;
  }

  /** Notes where a command has started for which neither the model nor the options name a directory. */
  learn(directory) {
    if (directory?.startsWith('/')) this.#path ??= directory;
  }

  /**
   * Returns a path as an absolute one there, by default the directory of the options; `undefined` if that is
   * not known.
   */
  absolute(path = '') {
    if (path === '') return this.#path;
    if (path.startsWith('/')) return this.#host.target.pathThere(path);
    const top = this.#root ?? this.#host.target.workspace ?? this.#path;
    return top && `${top}/${path}`;
  }
}

export { StartThere };
