import { realpathSync } from 'node:fs';
import { join, parse } from 'node:path';
import { theBinding } from '../../addon/binding.ts';
import { isNativeError } from '../../addon/native-error.ts';
import { absolutePath } from '../../support/paths/absolute-path.ts';
import { isBelow } from '../../support/paths/within.ts';
import { describe, wrong } from '../checks.ts';

/** A directory for temporary files -> the private directory in it, for this Node.js environment. */
const directories = new Map<string, string>();

/**
 * Returns the directory for a spill file: the caller's, or a private one outside `root`. The addon creates
 * it.
 */
function spillDirectory(requested: string | undefined, root: string | undefined): string {
  if (requested === undefined) return privateDirectory(root);
  try {
    return absolutePath(requested);
  } catch {
    // Node.js's own directory is gone. `result.spill.error` will report it.
    return requested;
  }
}

/** The private directory of the last call, and its key: resolving the real paths takes 30 µs. */
let last = { key: '', directory: '' };

/**
 * Returns a private directory outside `root`: a command that searches its workspace must not find its own
 * output.
 */
function privateDirectory(root: string | undefined): string {
  const { TMPDIR, TMP, TEMP } = process.env;
  const key = [root, TMPDIR, TMP, TEMP].join('\0');
  if (key === last.key) return last.directory;
  const directory = findPrivateDirectory(root);
  // The next command retries a directory that could not be made.
  if (isMade(directory)) last = { key, directory };
  return directory;
}

function findPrivateDirectory(root: string | undefined): string {
  // Loaded here, not at the top: it takes 0.5 ms, and few commands need it.
  const { tmpdir } = require('node:os') as typeof import('node:os');
  // A root of `/`, or of a drive of Windows, counts as none: no directory is outside of it. Neither is one of
  // a home of Windows, which has the temporary files.
  const isTop = root !== undefined && root !== '' && parse(root).root === root;
  const realRoot = root === undefined || isTop || isHomeOfWindows(root) ? undefined : realPath(root);
  // Windows has no others, and anybody may make these in its drive.
  const others = process.platform === 'win32' ? [] : ['/var/tmp', '/dev/shm'];
  for (const parent of [tmpdir(), ...others]) {
    const realParent = realPath(parent);
    if (realParent === undefined || (realRoot !== undefined && isBelow(realRoot, realParent))) continue;
    return directories.get(realParent) ?? makePrivateDirectory(realParent);
  }
  const reason = `there is no directory for temporary files outside of ${describe(root)}`;
  throw wrong(`Invalid option 'options.output.spill': ${reason}; give it a directory`);
}

function isHomeOfWindows(root: string): boolean {
  const { USERPROFILE: home } = process.env;
  return process.platform === 'win32' && home !== undefined && isBelow(root, home);
}

/**
 * Makes a private directory in `parent`. Where it can't be made, the command runs anyway, and
 * `result.spill.error` says why.
 */
function makePrivateDirectory(parent: string): string {
  const directory = theBinding().makePrivateDirectory(parent);
  if (isNativeError(directory)) {
    // Loaded here for the same reason: it takes 3 ms. A random UUID can't be guessed, so no other user can be
    // there first.
    const { randomUUID } = require('node:crypto') as typeof import('node:crypto');
    return join(parent, `agent-bash-${randomUUID()}`);
  }
  directories.set(parent, directory);
  return directory;
}

function isMade(directory: string): boolean {
  return [...directories.values()].includes(directory);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

export { spillDirectory };
