// Files that agent-bash shares with a command. The command may be in a sandbox, and may put anything in their
// place: so no link is followed, no pipe waited for, and nothing overwritten.

import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { theDouble } from '../addon/seam.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** The largest file that is read (bytes). */
const MAX_BYTES = 64 * 1024 * 1024;

/** Writes a new file for this user alone. Throws if anything is in its place. */
function writeShared(path: string, content: string): void {
  writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
}

/** Returns the content of a file; `undefined` for a missing or a large one, and for anything else. */
function readShared(path: string, encoding: BufferEncoding): string | undefined {
  const double = theDouble();
  return double === undefined
    ? readFile(path, encoding)
    : double.readSharedFile(path, () => readFile(path, encoding));
}

function readFile(path: string, encoding: BufferEncoding): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const status = fstatSync(file);
    return status.isFile() && status.size <= MAX_BYTES ? readFileSync(file, encoding) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Removes a file. A directory in its place is left to the end of the directory around it. */
function removeShared(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The path is that of a directory.
  }
}

export { readShared, removeShared, writeShared };
