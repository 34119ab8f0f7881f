import type { Dirent } from 'node:fs';
import { abortSignal, describe, integer, invalid, object, path } from '../options/checks.ts';
import { absolutePath } from '../support/paths/absolute-path.ts';
import type { ChangedFiles, ChangedSinceOptions } from './api.ts';

/** A search under way. */
interface Search {
  time: number;
  ignored: Set<string>;
  limit: number;
  signal: AbortSignal | undefined;
  fs: typeof import('node:fs/promises');
  paths: string[];
  seen: number;
  isComplete: boolean;
}

/** The default of `ignore`. */
const IGNORED = ['.git', 'node_modules'];

/** The default of the most entries that are inspected. */
const LIMIT = 100_000;

/**
 * The resolution of change times (ms): kernels before 6.13 step by 4 ms, and a file system may be coarser.
 */
const STEP_MS = 10;

/** The number of concurrent `stat` calls: Node has 4 threads for them, and the rest keeps these busy. */
const CONCURRENT_STATS = 16;

/**
 * Finds the entries below a directory that were created, written, renamed, or got other rights or owners
 * since a time, by the change times of the file system. A change up to 10 ms before that counts too, since
 * some kernels give times in steps. A deletion shows only in the directory that contained the entry, which
 * has changed. The author of a change is not known: changes by other programs count as well. Links are not
 * followed.
 *
 * @param since a `Date`, or milliseconds since 1970
 * @throws (as a rejection) TypeError with code `ERR_INVALID_ARG_VALUE`; the system's error if `root` can't be
 *   read
 *
 * @example
 * const before = Date.now();
 * await session.run('npm run build');
 * const { paths } = await changedSince('/path/to/project', before);
 */
export async function changedSince(
  root: string | URL,
  since: Date | number,
  options: ChangedSinceOptions = {},
): Promise<ChangedFiles> {
  const time = sinceTime(since) - STEP_MS;
  const { ignore, limit, signal } = object('options', options, ['ignore', 'limit', 'signal']);
  const search: Search = {
    time,
    ignored: ignoredNames(ignore),
    limit: integer('options.limit', limit, 1, Number.MAX_SAFE_INTEGER) ?? LIMIT,
    signal: abortSignal('options.signal', signal),
    fs: require('node:fs/promises'),
    paths: [],
    seen: 0,
    isComplete: true,
  };
  const top = absolutePath(path('root', root) ?? '');
  // An unreadable root is an error; an entry that vanishes or is closed further down is not.
  await search.fs.readdir(top);
  await walk(top, '', search);
  return { paths: search.paths.sort(), complete: search.isComplete };
}

function sinceTime(since: unknown): number {
  const time = since instanceof Date ? since.getTime() : since;
  if (typeof time !== 'number' || !Number.isFinite(time)) {
    throw invalid('since', 'a Date or a number of milliseconds since 1970', since);
  }
  return time;
}

function ignoredNames(ignore: unknown = IGNORED): Set<string> {
  if (!Array.isArray(ignore) || !ignore.every((name) => typeof name === 'string')) {
    throw invalid('options.ignore', 'an array of names', describe(ignore));
  }
  return new Set(ignore);
}

/** Searches the directory `top/below`, its subdirectories one after another. */
async function walk(top: string, below: string, search: Search): Promise<void> {
  let entries: Dirent[];
  try {
    entries = await search.fs.readdir(`${top}/${below}`, { withFileTypes: true });
  } catch {
    // The directory was removed, or is another user's.
    search.isComplete = false;
    return;
  }
  const kept = entries.filter(({ name }) => !search.ignored.has(name));
  for (let start = 0; start < kept.length; start += CONCURRENT_STATS) {
    search.signal?.throwIfAborted();
    const some = kept.slice(start, start + CONCURRENT_STATS);
    if (search.seen + some.length > search.limit) {
      search.isComplete = false;
      return;
    }
    search.seen += some.length;
    await Promise.all(some.map((entry) => searchDirectory(top, below + entry.name, search)));
  }
  for (const entry of kept) {
    if (search.seen >= search.limit) search.isComplete = false;
    else if (entry.isDirectory()) await walk(top, `${below}${entry.name}/`, search);
  }
}

async function searchDirectory(top: string, name: string, search: Search): Promise<void> {
  try {
    const { ctimeMs } = await search.fs.lstat(`${top}/${name}`);
    if (ctimeMs >= search.time) search.paths.push(name);
  } catch {
    // The file was removed meanwhile.
  }
}
