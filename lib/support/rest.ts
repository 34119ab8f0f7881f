import type * as Rest from '../rest.ts';

/** Returns what `lib/rest.ts` exports. `require` is that of the bundle, which is CommonJS. */
const rest = (): typeof Rest => require('../../bundle/rest.cjs');

export { rest };
