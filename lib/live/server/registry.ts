// The servers of this user, for `agent-bash live`: a file for each, by which one can look and no more.

import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server that listens. */
export interface Listed {
  title: string;
  pid: number;
  /** The URL by which one can look. */
  url: string;
  cwd: string;
  /** Milliseconds since 1970. */
  since: number;
}

/** Lists a server. Returns a function that removes it. Without a private directory, does nothing. */
function list(server: Listed): () => void {
  const path = join(directory(), `live-${server.pid}-${new URL(server.url).port}.json`);
  try {
    mkdirSync(directory(), { recursive: true, mode: 0o700 });
    if (!isPrivate(directory())) return () => {};
    writeFileSync(path, JSON.stringify(server), { mode: 0o600 });
  } catch {
    // A full disk, or a home that can't be written: the URL was given to the caller.
    return () => {};
  }
  return () => rmSync(path, { force: true });
}

/** Returns the servers whose processes run, and removes the files of the others. */
function listed(): Listed[] {
  let names: string[] = [];
  try {
    if (isPrivate(directory())) names = readdirSync(directory());
  } catch {
    return [];
  }
  return names
    .filter((name) => /^live-\d+-\d+\.json$/.test(name))
    .map((name) => join(directory(), name))
    .flatMap((path) => {
      try {
        const server: Listed = JSON.parse(readFileSync(path, 'utf8'));
        if (isRunning(server.pid)) return [server];
        rmSync(path, { force: true });
      } catch {
        // The file was removed meanwhile.
      }
      return [];
    })
    .sort((a, b) => a.since - b.since);
}

const isWindows = process.platform === 'win32';

function directory(): string {
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  if (runtime?.startsWith('/')) return join(runtime, 'agent-bash');
  return join(tmpdir(), `agent-bash-live-${process.getuid?.() ?? ''}`);
}

/**
 * Returns whether nobody else can write or read in a directory: anybody may make one in `/tmp`. On Windows,
 * each user has a temporary directory of their own.
 */
function isPrivate(path: string): boolean {
  const { mode, uid } = lstatSync(path);
  if (isWindows) return (mode & 0o170_000) === 0o040_000;
  return (mode & 0o170_077) === 0o040_000 && uid === process.getuid?.();
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export { list, listed };
