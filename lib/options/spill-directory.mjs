import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { theHost } from '../addon/host.mjs';
import { absolutePath } from './absolute-path.mjs';
import { describe, wrong } from './checks.mjs';

/** Where temporary files may be -> our own directory there, for this Node environment. */
const directories = new Map();

/** A directory for files with whole outputs, which the addon makes: the caller's, or one of ours outside of `root`. */
function spillDirectory(wanted, root) {
  if (wanted === undefined) return ourDirectory(root);
  try {
    return absolutePath(wanted);
  } catch {
    // Node's own directory is gone. The result will say that the file could not be made.
    return wanted;
  }
}

/** Not in `root`: a command that searches its workspace would find its own output there. */
function ourDirectory(root) {
  // Not at the top: it takes half a millisecond to load, and few need it.
  const { tmpdir } = require('node:os');
  // Nothing lies outside of `/`, which is no workspace.
  const realRoot = root === undefined || root === '/' ? undefined : realPath(root);
  for (const place of [tmpdir(), '/var/tmp', '/dev/shm']) {
    const realPlace = realPath(place);
    if (realPlace === undefined || (realRoot !== undefined && isWithin(realPlace, realRoot))) continue;
    return directories.get(realPlace) ?? nameOne(realPlace);
  }
  const reason = `there is no directory for temporary files outside of ${describe(root)}`;
  throw wrong(`Invalid option 'options.output.spill': ${reason}; give it a directory`);
}

/** A name that nobody can guess, so nobody can be there before us. */
function nameOne(place) {
  // As above: 3 ms.
  const { randomUUID } = require('node:crypto');
  const directory = join(place, `agent-bash-${randomUUID()}`);
  theHost().removeAtEnd(directory);
  directories.set(place, directory);
  return directory;
}

function realPath(path) {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isWithin(path, directory) {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

export { spillDirectory };
