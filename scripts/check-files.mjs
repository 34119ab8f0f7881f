// Checks that git tracks no program that a build has made, and no file of more than 512 KiB.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** The largest tracked file (bytes): four times a lock file of npm. */
const MAX_BYTES = 512 * 1024;
/** Larger files, by name, each with its reason. */
const EXCEPTIONS = new Set([]);

/** Returns whether a file has a NUL byte in its first 8 KiB, as git decides that it is binary. */
function isBinary(path) {
  const start = Buffer.alloc(8192);
  const file = openSync(path);
  try {
    return start.subarray(0, readSync(file, start)).includes(0);
  } finally {
    closeSync(file);
  }
}

const listed = execFileSync('git', ['ls-files', '--stage', '-z'], { encoding: 'utf8' });
const entries = listed.split('\0').filter(Boolean);
const found = entries.flatMap((entry) => {
  const [mode, path] = [entry.slice(0, 6), entry.slice(entry.indexOf('\t') + 1)];
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file?.isFile() || EXCEPTIONS.has(path)) return [];
  if (file.size > MAX_BYTES) return [`${path}: ${file.size} bytes`];
  return mode === '100755' && isBinary(path) ? [`${path}: an executable binary`] : [];
});

if (found.length > 0) {
  console.error(`files that do not belong in the repository:\n  ${found.join('\n  ')}`);
  process.exitCode = 1;
} else {
  console.log(`none of ${entries.length} tracked files is a program or larger than ${MAX_BYTES} bytes`);
}
