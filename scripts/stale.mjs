// Which built files are older than their sources, so that no test runs against an old build.

import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const SOURCES = {
  bundle: ['lib', 'scripts/rolldown.config.mjs', 'scripts/adapter-bundles.mjs'],
  addon: ['src', 'Cargo.toml', 'Cargo.lock', 'build.rs'],
};

/** Returns a path with the time of its last change (ms); of a folder, those of the newest file below it. */
function newest(path) {
  const absolute = join(ROOT, path);
  const status = statSync(absolute, { throwIfNoEntry: false });
  if (status === undefined) return { path, time: 0 };
  if (!status.isDirectory()) return { path, time: status.mtimeMs };
  const files = readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: file.slice(ROOT.length), time: statSync(file).mtimeMs }));
  return latest(files);
}

function latest(entries) {
  return entries.reduce((best, entry) => (entry.time > best.time ? entry : best), { path: '', time: 0 });
}

/** Returns the times of the built files of a part; of those for several platforms, of the newest. */
function builtTimes(part) {
  if (part === 'bundle') return [newest('bundle/core.cjs').time, newest('bundle/index.cjs').time];
  return ['agent-bash.', 'agent-bash-helper.'].map((start) => {
    const files = readdirSync(ROOT).filter((name) => name.startsWith(start) && !name.endsWith('.new'));
    return latest(files.map(newest)).time;
  });
}

/**
 * Returns the newest source of a part (`'bundle'` or `'addon'`) if a built file is older than it or missing, else
 * `undefined`.
 */
export function staleSource(part) {
  const source = latest(SOURCES[part].map(newest));
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

/** Builds what is stale, the addon without optimization. Returns whether something was. Rejects if that fails. */
export async function build() {
  const isStale = { bundle: staleSource('bundle') !== undefined, addon: staleSource('addon') !== undefined };
  // First, so that an error in Rust does not keep a change of lib/ from the tests.
  if (isStale.bundle) await npmRun('build:js');
  if (isStale.addon) await npmRun('build:debug');
  return isStale.bundle || isStale.addon;
}

/** Builds the bundle if it is stale (below 1 s). Throws if the addon is, which takes longer to build. */
export function refuseStale() {
  if (staleSource('bundle') !== undefined)
    execFileSync('npm', ['run', '--silent', 'build:js'], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const source = staleSource('addon');
  if (source !== undefined)
    throw new Error(
      `${source} is newer than the addon: build it by \`npm run build:debug\` or \`npm run build\``,
    );
}
