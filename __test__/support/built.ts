import { readFileSync } from 'node:fs';

/** Returns whether a file is of the portable build, which leaves no path of the crates' sources in it. */
export function isPortable(file: string): boolean {
  return !readFileSync(file).includes('/registry/src/');
}

/**
 * The largest size of an addon (bytes). A build for a clone has no link-time optimization.
 */
export function maxAddonBytes(file: string): number {
  return isPortable(file) ? 6_800_000 : 9_000_000;
}
