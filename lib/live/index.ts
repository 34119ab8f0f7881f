// `agent-bash/live`, and what the option `record` loads.

// Imports the rest of the package: otherwise the bundler would put the code that both need into separate
// files.
import '../features.ts';
import '../index.ts';

export { Live } from './live.ts';
export { recordAll, recordCommand } from './record/recording.ts';
