import type * as Features from '../features.ts';

let loaded: typeof Features | undefined;

/**
 * Returns what `lib/features.ts` exports. `require` is that of the bundle, which is CommonJS. In `core.cjs`,
 * the build puts the exports of that file in the place of its `require` (`scripts/own-features.mjs`).
 */
function features(): typeof Features {
  loaded ??= require('../../bundle/features.cjs')(require('../../bundle/core.cjs')) as typeof Features;
  return loaded;
}

export { features };
