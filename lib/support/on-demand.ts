import type * as OnDemand from '../on-demand.ts';

/** Returns what `lib/on-demand.ts` exports. `require` is that of the bundle, which is CommonJS. */
const onDemand = (): typeof OnDemand => require('../../bundle/on-demand.cjs');

export { onDemand };
