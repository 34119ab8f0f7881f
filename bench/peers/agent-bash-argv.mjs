// run() with an array: the program itself if the command is plain words, otherwise the shell as a program.

import { Jobs, run as runCommand } from '../../entry/index.mjs';
import { flag, shell } from '../lib/shell.mjs';

const jobs = new Jobs();

export async function run(command) {
  const { output } = await runCommand(words(command), { output: { maxBytes: KEPT } });
  return output;
}

export function start(command, onChunk) {
  const job = jobs.start(words(command));
  job.on('data', onChunk);
  return { done: job.result, kill: () => job.kill() };
}

function words(command) {
  return /^[\w./ -]+$/.test(command) ? command.split(' ') : [shell, flag, command];
}

/** The bytes that `bash()` keeps of each stream. */
const KEPT = 102_400;
