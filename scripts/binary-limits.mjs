// The largest sizes of the addon, the helper program and the interceptor (bytes).

import { readFileSync } from 'node:fs';

/** The limits of the published files. */
export const MAX_ADDON_BYTES = 8_200_000;
export const MAX_HELPER_BYTES = 1_300_000;
export const MAX_INTERCEPTOR_BYTES = 3_500_000;
/**
 * The limits of builds for a clone: an addon without link-time optimization is a third larger, and a helper
 * with glibc is twice as large.
 */
const MAX_LOCAL_ADDON_BYTES = (MAX_ADDON_BYTES * 4) / 3;
const MAX_LOCAL_HELPER_BYTES = 4_000_000;

/** Returns whether a file is of the portable build, which leaves no path of the crates' sources in it. */
export function isPortable(file) {
  return !readFileSync(file).includes('/registry/src/');
}

/** Returns the largest size of this addon. */
export function maxAddonBytes(file) {
  return isPortable(file) ? MAX_ADDON_BYTES : MAX_LOCAL_ADDON_BYTES;
}

/** Returns the largest size of this helper program. */
export function maxHelperBytes(file) {
  return isPortable(file) ? MAX_HELPER_BYTES : MAX_LOCAL_HELPER_BYTES;
}
