import { realpathSync } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Resolves the paths of a session: relative to a base directory, within an optional root. */
class Directory {
  /** Absolute path of the root, or `undefined` for no bound. */
  root: string | undefined;
  base: string;

  constructor(root: unknown, cwd: unknown) {
    this.root = root === undefined ? undefined : resolve(pathOf(root));
    this.base = resolve(this.root ?? '', cwd === undefined ? '' : pathOf(cwd));
  }

  absolute(path: string): string {
    return resolve(this.base, path);
  }

  /**
   * Returns the real path of a file, which may not exist yet.
   *
   * @param followsLast whether to follow a symbolic link in the last component; default true
   * @throws Error with code `EACCES` for a path outside of the root
   */
  async resolve(path: string, { followsLast = true }: { followsLast?: boolean } = {}): Promise<string> {
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

/** Returns the real path of the existing part, with the missing rest appended. */
async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    // Writing through a dangling link would create its target.
    const target = await readlink(path).catch(() => undefined);
    if (target !== undefined) return realOf(resolve(parent, target));
    return join(await realOf(parent), basename(path));
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

function pathOf(pathOrUrl: unknown): string {
  return pathOrUrl instanceof URL ? fileURLToPath(pathOrUrl) : (pathOrUrl as string);
}

export { Directory };
