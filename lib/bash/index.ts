// Imports what `lib/features.ts` shares with `lib/index.ts`: otherwise the bundler would put it into
// `index.cjs`, on which `features.cjs` must not depend.
import '../options/run-options.ts';
import '../target/target.ts';

export { bash } from './bash.ts';
export { BashJob } from './bash-job.ts';
