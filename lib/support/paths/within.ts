import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

/** Returns whether a real path is a directory here or lies below it. */
function isWithin(root: string, path: string): boolean {
  try {
    return isBelow(realpathSync.native(root), path);
  } catch {
    return false;
  }
}

/** Returns whether a path is another one or lies below it, by their texts. */
function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

export { isBelow, isWithin };
