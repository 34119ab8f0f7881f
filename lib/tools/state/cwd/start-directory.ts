// The directory in which commands start for which the model names none.

import { readlinkSync, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { absolutePath } from '../../../support/paths/absolute-path.ts';
import { isWithin } from '../../../support/paths/within.ts';
import type { ToolSurroundings } from '../../toolset-state.ts';

/** Where a command starts. */
export interface CommandStart {
  /** The directory for the engine; `undefined` for the host's default. */
  cwd: string | undefined;
  /** The removed directory in whose place it is. */
  gone?: string | undefined;
}

/**
 * The directory of the host's options. If it has been removed, a command starts in the nearest directory
 * above it that is there and that `root` allows: otherwise no command could repair anything. A directory that
 * has never been there stays an error.
 */
class StartDirectory {
  #surroundings: Pick<ToolSurroundings, 'cwd' | 'root'>;
  #wasThere: boolean;

  constructor(surroundings: Pick<ToolSurroundings, 'cwd' | 'root'>) {
    this.#surroundings = surroundings;
    this.#wasThere = surroundings.cwd === undefined && surroundings.root === undefined;
    this.find();
  }

  /**
   * Returns `cwd`, the directory for the engine (`undefined` for the host's default), and `gone`, the removed
   * directory in whose place it is. `current` is the directory that a session remembers.
   */
  find(current?: string): CommandStart {
    const path = current ?? this.path;
    const usual = { cwd: current ?? this.#surroundings.cwd };
    if (path === undefined || isDirectory(path)) {
      this.#wasThere = true;
      return usual;
    }
    if (current === undefined && !this.#wasThere) return usual;
    const cwd = nearest(path, this.#surroundings.root);
    return cwd === undefined ? usual : { cwd, gone: path };
  }

  /**
   * The directory of the options as an absolute path; `undefined` if it is not known, as it has been removed.
   */
  get path(): string | undefined {
    return this.absolute(this.#surroundings.cwd);
  }

  /** The directory within which a session may go: the root, else the directory itself. */
  get project(): string | undefined {
    return this.#surroundings.root === undefined ? this.path : this.#top;
  }

  /**
   * Returns a path as an absolute one; `undefined` if it belongs to a directory that is not known. A relative
   * path belongs to the root.
   */
  absolute(path = ''): string | undefined {
    const top = this.#top;
    return isAbsolute(path) || top !== undefined ? absolutePath(path, top) : undefined;
  }

  /**
   * The directory to which relative paths belong: the root, or that of Node.js; `undefined` if it is not
   * known.
   */
  get #top(): string | undefined {
    const { root = '' } = this.#surroundings;
    const own = ownDirectory();
    return isAbsolute(root) || own !== undefined ? absolutePath(root, own) : undefined;
  }
}

/** Returns the nearest directory above a path that is there and lies in `root`. */
function nearest(path: string, root: string | undefined): string | undefined {
  for (let above = dirname(path); ; above = dirname(above)) {
    if (root !== undefined && !isWithin(absolutePath(root), above)) return undefined;
    if (isDirectory(above)) return above;
    if (dirname(above) === above) return undefined;
  }
}

/** Returns the working directory of Node.js. If that was removed, only Linux knows its path. */
function ownDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // The directory has been removed.
  }
  try {
    return readlinkSync('/proc/self/cwd').replace(/ \(deleted\)$/, '');
  } catch {
    return undefined;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

export { isDirectory, StartDirectory };
