// run() and a table of jobs of this repository, with the same shell as the others.

import { Jobs, run as runCommand } from '../../entry/index.mjs';
import { flag, shell } from '../lib/shell.mjs';

const jobs = new Jobs();

export async function run(command) {
  const { output } = await runCommand(command, { shell: [shell, flag], output: { maxBytes: KEPT } });
  return output;
}

export function start(command, onChunk) {
  const job = jobs.start(command, { shell: [shell, flag] });
  job.on('data', onChunk);
  return { done: job.result, kill: () => job.kill() };
}

export function startBytes(command, onChunk) {
  const job = jobs.start(command, { shell: [shell, flag], encoding: 'buffer' });
  job.on('data', onChunk);
  return { done: job.result };
}

/** The bytes that `bash()` keeps of each stream. */
const KEPT = 102_400;
