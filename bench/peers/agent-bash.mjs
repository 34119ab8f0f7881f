// The package of this repository.

import agentBash from '../../index.js';

const { bash, BashJob } = agentBash;

export function run(command) {
  return bash({ command }, process.cwd());
}

export function start(command, onChunk) {
  const job = new BashJob({ command }, process.cwd());
  job.on('data', onChunk);
  return {
    done: new Promise((resolve) => job.on('exit', resolve)),
    kill: () => job.kill(),
  };
}
