// The package of this repository.

import { BashJob, bash, run as runCommand } from '../../entry/index.mjs';
import { flag, isPicked, shell } from '../lib/shell.mjs';

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
