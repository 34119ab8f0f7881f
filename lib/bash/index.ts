export { bash } from './bash.ts';
export { BashJob } from './bash-job.ts';
