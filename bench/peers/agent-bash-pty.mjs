// Terminals of agent-bash, each with its screen. They are measured only in scenarios of terminals.

import { jobs, run as runCommand } from '../../entry/index.mjs';

const pty = { cols: 200, rows: 50 };

export async function run(command) {
  const { stdout } = await runCommand(command, { pty });
  return stdout;
}

export const runProgram = (program) => run([program]);

export function start(command, onChunk) {
  const job = jobs.start(command, { pty, output: { maxBytes: 0 } });
  job.on('data', onChunk);
  return { done: job.result, kill: () => job.kill('SIGKILL'), write: (text) => job.write(text) };
}
