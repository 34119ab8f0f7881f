import type * as ServerModule from '../../live/server/index.ts';

/** Returns what `lib/live/server/index.ts` exports. The path is that from the bundle of the command line. */
export const liveServer = (): typeof ServerModule => require('../live-server.cjs');
