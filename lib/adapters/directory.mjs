import { realpathSync } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of a session: its base for relative paths, and a root that paths must lie in. */
class Directory {
  /** An absolute path, or `undefined` for no bound. */
  root;
  base;

  constructor(root, cwd) {
    this.root = root === undefined ? undefined : resolve(pathOf(root));
    this.base = resolve(this.root ?? '', cwd === undefined ? '' : pathOf(cwd));
  }

  absolute(path) {
    return resolve(this.base, path);
  }

  /**
   * The real path of a file, which may not exist yet.
   *
   * @param followsLast whether a symbolic link as the last part is followed; else it is meant itself
   * @throws Error with code `EACCES` for a path outside of the root
   */
  async resolve(path, { followsLast = true } = {}) {
    const target = this.absolute(path);
    const real = followsLast ? await realOf(target) : join(await realOf(dirname(target)), basename(target));
    if (this.root !== undefined && !isWithin(realpathSync(this.root), real)) {
      throw Object.assign(new Error(`EACCES: '${path}' is outside of ${this.root}`), {
        code: 'EACCES',
        path,
      });
    }
    return real;
  }
}

/** The real path as far as it exists, and the rest as given. */
async function realOf(path) {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (error.code !== 'ENOENT' || parent === path) throw error;
    // A link to a file that does not exist: writing would create that file.
    const target = await readlink(path).catch(() => undefined);
    if (target !== undefined) return realOf(resolve(parent, target));
    return join(await realOf(parent), basename(path));
  }
}

function isWithin(root, path) {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

function pathOf(place) {
  return place instanceof URL ? fileURLToPath(place) : place;
}

export { Directory };
