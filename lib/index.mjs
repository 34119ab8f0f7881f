export { bash } from './bash.mjs';
export { BashJob } from './bash-job.mjs';
export { CommandError } from './command-error.mjs';
export { diagnostics } from './diagnostics.mjs';
export { nonInteractiveEnv } from './environment.mjs';
export { Job } from './job.mjs';
export { Jobs, jobs } from './jobs.mjs';
export { prewarm } from './prewarm.mjs';
export { run } from './run.mjs';
