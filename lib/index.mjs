export { bash } from './bash/bash.mjs';
export { BashJob } from './bash/bash-job.mjs';
export { CommandError } from './command-error.mjs';
export { diagnostics } from './diagnostics.mjs';
export { Job } from './job/job.mjs';
export { Jobs, jobs } from './jobs.mjs';
export { nonInteractiveEnv } from './options/environment.mjs';
export { prewarm } from './prewarm.mjs';
export { run } from './run.mjs';
