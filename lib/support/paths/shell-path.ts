import { resolve } from 'node:path';
import { quoteWord } from '../../addon/native.ts';
import { absolutePath } from './absolute-path.ts';

const isWindows: boolean = process.platform === 'win32';

/** Returns a path of this machine with the separators of a shell, which takes `\` for a quote. */
function shellPath(path: string): string {
  return isWindows ? path.replaceAll('\\', '/') : path;
}

/**
 * Returns a path for a line of shell text. On Windows, names of users and of directories may have any
 * character.
 */
function shellWord(path: string): string {
  return isWindows ? quoteWord(shellPath(path)) : path;
}

/** The beginning of a path on a drive, as Cygwin or a function of Windows writes it. */
const BEFORE_DRIVE = /^(?:\/cygdrive(?=\/[A-Za-z](?:\/|$))|\\\\\?\\(?=[A-Za-z]:))/;

/**
 * Returns the path of a directory that a shell has printed, for Node.js; `undefined` for one that only that
 * shell knows, such as `/tmp` of Git Bash, or that is no UTF-8: old builds of busybox write the encoding of
 * their region.
 */
function pathFromShell(path: string): string | undefined {
  if (!isWindows) return path;
  const own = path.replace(BEFORE_DRIVE, '');
  const isKnown =
    !own.includes('\ufffd') && /^(?:[A-Za-z]:[\\/]|\/[A-Za-z](?:\/|$)|[\\/]{2}[^\\/])/.test(own);
  return isKnown ? resolve(absolutePath(own)) : undefined;
}

export { pathFromShell, shellPath, shellWord };
