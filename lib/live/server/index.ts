// The server of pages, which `agent-bash/live` loads with the first page over HTTP. Read in this order:
// live-server, access, routes.

// Imports `index.ts`: otherwise the bundler would put the code that both need into separate files.
import '../../index.ts';

export { LiveServer } from './live-server.ts';
export { listed } from './registry.ts';
export type { ServedRecording } from './routes.ts';
