export { bash } from './bash.mjs';
export { BashJob } from './bash-job.mjs';
