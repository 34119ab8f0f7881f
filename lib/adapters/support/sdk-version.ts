import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Throws an error if the SDK that the application has is older than `least`. The package accepts each version
 * of an SDK beside it, because most users of a package with adapters need none of them.
 *
 * An SDK whose version can't be found, such as one in a bundle, passes.
 */
function requireSdk(name: string, least: string, what: string): void {
  const version = versionOf(name);
  if (version === undefined || isAtLeast(version, least)) return;
  const message = `${what} needs ${name} ${least} or newer, and ${version} is installed`;
  throw Object.assign(new Error(message), { code: 'SDK_VERSION' });
}

/** The versions by name: a file is read once. */
const versions = new Map<string, string | undefined>();

function versionOf(name: string): string | undefined {
  if (!versions.has(name)) versions.set(name, readVersion(name));
  return versions.get(name);
}

/** Reads package.json where this file would import the SDK from: `exports` may hide it. */
function readVersion(name: string): string | undefined {
  try {
    const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
    const files = folders.map((folder) => join(folder, name, 'package.json'));
    const file = files.find((path) => existsSync(path));
    return file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** Compares versions by their three numbers: a prerelease counts as its release. */
function isAtLeast(version: string, least: string): boolean {
  const [given, needed] = [version, least].map((text) => text.split(/[.+-]/, 3).map(Number));
  if (given.length < 3 || given.some(Number.isNaN)) return true;
  const at = given.findIndex((part, index) => part !== needed[index]);
  return at === -1 || given[at] > needed[at];
}

export { requireSdk };
