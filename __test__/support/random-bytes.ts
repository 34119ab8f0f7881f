import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './directory.js';

/** Returns bytes that are no UTF-8 and have all 256 values: the same ones in each run (mulberry32). */
export function randomBytes(length: number, seed = 7): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, (_, index) => {
    if (index < 256) return index;
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return (mixed ^ (mixed >>> 14)) & 0xff;
  });
}

/** Returns the path of a new file with these bytes. */
export function fileOf(bytes: Uint8Array): string {
  const path = join(temporaryDirectory(), 'bytes');
  writeFileSync(path, bytes);
  return path;
}

/** Returns whether both are plain arrays of the same bytes. */
export function isSame(actual: Uint8Array, expected: Uint8Array): boolean {
  return Object.getPrototypeOf(actual) === Uint8Array.prototype && Buffer.compare(actual, expected) === 0;
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
