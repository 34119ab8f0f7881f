// bash() and BashJob, which pick their shell themselves. They are measured only in scenarios in which the
// others have the same shell, or its start takes no part of the time.

import { BashJob, bash } from '../../entry/index.mjs';

export function run(command) {
  return bash({ command }, process.cwd());
}

export function start(command, onChunk) {
  const job = new BashJob({ command }, process.cwd());
  job.on('data', onChunk);
  return { done: job.result, kill: () => job.kill() };
}
