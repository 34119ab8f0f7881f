// Which built files are older than their sources, so that no test runs against an old build.

import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const SOURCES = {
  bundle: [
    'lib',
    'scripts/build-js.mjs',
    'scripts/declarations.mjs',
    'scripts/rolldown.config.mjs',
    'scripts/adapter-bundles.mjs',
    'scripts/bundled-licenses.mjs',
    'scripts/entry-files.mjs',
    'scripts/generated-file.mjs',
    'scripts/import-size.mjs',
    'scripts/own-features.mjs',
    'scripts/plain-exports.mjs',
  ],
  addon: ['src', 'Cargo.toml', 'Cargo.lock', 'build.rs'],
};

/**
 * Returns a path with the time of its last change (ms); of a folder, those of the newest file below it. With
 * `folders`, folders count too: their time is that of the last file that came or went.
 */
function newest(path, folders = false) {
  const absolute = join(ROOT, path);
  const status = statSync(absolute, { throwIfNoEntry: false });
  if (status === undefined) return { path, time: 0 };
  if (!status.isDirectory()) return { path, time: status.mtimeMs };
  const files = readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || (folders && entry.isDirectory()))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: file.slice(ROOT.length), time: statSync(file).mtimeMs }));
  return latest(folders ? [{ path, time: status.mtimeMs }, ...files] : files);
}

function latest(entries) {
  return entries.reduce((best, entry) => (entry.time > best.time ? entry : best), { path: '', time: 0 });
}

/** Returns the times of the built files of a part; of those for several platforms, of the newest. */
function builtTimes(part) {
  if (part === 'bundle') return [newest('bundle/core.cjs').time, newest('bundle/index.cjs').time];
  return ['agent-bash.', 'agent-bash-helper.'].map((start) => {
    const files = readdirSync(ROOT).filter((name) => name.startsWith(start) && !name.endsWith('.new'));
    return latest(files.map((file) => newest(file))).time;
  });
}

/**
 * Returns the newest source of a part (`'bundle'` or `'addon'`) if a built file is older than it or missing,
 * else `undefined`.
 */
export function staleSource(part) {
  // Not for the addon: editors put files of their own beside the one that is open, and its build takes
  // minutes.
  const source = latest(SOURCES[part].map((path) => newest(path, part === 'bundle')));
  return Math.min(...builtTimes(part)) < source.time ? source.path : undefined;
}

/** Runs a script of package.json, with its output in between. Rejects if it fails. */
function npmRun(name) {
  const child = spawn('npm', ['run', '--silent', name], { cwd: ROOT, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => (status === 0 ? resolve() : reject(new Error(`npm run ${name} failed`))));
  });
}

/**
 * Builds what is stale, the addon without optimization. Returns whether something was. Rejects if that fails.
 */
export async function build() {
  const isStale = { bundle: staleSource('bundle') !== undefined, addon: staleSource('addon') !== undefined };
  // First, so that an error in Rust does not keep a change of lib/ from the tests.
  if (isStale.bundle) await npmRun('build:js');
  if (isStale.addon) await npmRun('build:debug');
  return isStale.bundle || isStale.addon;
}

/** Builds the bundle if it is stale, which takes less than a second. Throws if that fails. */
export function buildStaleBundle() {
  if (staleSource('bundle') === undefined) return;
  const words = ['run', '--silent', 'build:js'];
  execFileSync('npm', words, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Throws if the addon is stale: to build it takes minutes. */
export function refuseStaleAddon() {
  const source = staleSource('addon');
  if (source === undefined) return;
  const error = new Error(
    `${source} is newer than the addon: build it by \`npm run build:debug\` or \`npm run build\``,
  );
  error.stack = error.message; // vitest would print ten lines of its own functions
  throw error;
}
