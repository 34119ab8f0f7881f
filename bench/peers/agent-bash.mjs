// The package of this repository.

import agentBash from '../../index.js';
import { flag, isPicked, shell } from '../lib/shell.mjs';

const { bash, BashJob, run: runCommand } = agentBash;

export async function run(command) {
  if (isPicked) return bash({ command }, process.cwd());
  const { output } = await runCommand(command, { shell: [shell, flag] });
  return output;
}

export function start(command, onChunk) {
  const job = new BashJob({ command }, process.cwd());
  job.on('data', onChunk);
  return {
    done: new Promise((resolve) => job.on('exit', resolve)),
    kill: () => job.kill(),
  };
}
