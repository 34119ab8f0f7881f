// Random operations on files, with a seed: `node operations.mjs SEED STEPS`, in the working directory.

import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

const [seed, steps] = process.argv.slice(2).map(Number);
let state = seed;

/** Returns a random integer below a bound (mulberry32). */
function below(bound) {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
}

const NAMES = ['a', 'b', 'c', 'd'];

/** Returns a path of up to three names, or one below a directory of git. */
function path() {
  const parts = Array.from({ length: 1 + below(3) }, () => NAMES[below(NAMES.length)]);
  return below(6) === 0
    ? `.git/${['objects', 'refs', 'logs'][below(3)]}/${parts.join('/')}`
    : parts.join('/');
}

const isLink = (name) => lstatSync(name).isSymbolicLink();

const OPERATIONS = [
  () => writeFileSync(path(), `${below(1000)}\n`.repeat(below(50))),
  () => writeFileSync(path(), `${below(1000)}`),
  () => appendFileSync(path(), 'more\n'),
  () => mkdirSync(path(), { recursive: true }),
  () => mkdirSync(dirname(path()), { recursive: true }),
  () => rmSync(path(), { recursive: true }),
  () => renameSync(path(), path()),
  () => renameSync(path(), path()),
  () => symlinkSync(path(), path()),
  () => linkSync(path(), path()),
  () => copyFileSync(path(), path()),
  () => truncateSync(path(), below(10)),
  () => {
    const name = path();
    const mode = [0o600, 0o644, 0o755, 0o700][below(4)];
    const status = lstatSync(name);
    // The test itself has to read the copy, also as an ordinary user.
    const needed = status.isDirectory() && process.getuid() !== 0 ? 0o700 : 0;
    if (!status.isSymbolicLink()) chmodSync(name, mode | needed);
  },
  () => {
    const name = path();
    if (!isLink(name)) utimesSync(name, below(1e9), below(1e9));
  },
  () => readFileSync(path()),
];

for (let step = 0; step < steps; step++) {
  try {
    OPERATIONS[below(OPERATIONS.length)]();
  } catch {
    // Many paths are missing, or of another kind: in the copy as well.
  }
}
