// Terminals of agent-bash, each with its screen. They are measured only in scenarios of terminals.

import { jobs, run as runCommand } from '../../entry/index.mjs';
import { flag, shell } from '../lib/shell.mjs';

const pty = { cols: 200, rows: 50 };

export async function run(command) {
  const { stdout } = await runCommand(
    command,
    runsProgram(command) ? { pty } : { pty, shell: [shell, flag] },
  );
  return stdout;
}

export const runProgram = (program) => run([program]);

const runsProgram = (command) => Array.isArray(command);

export function start(command, onChunk) {
  const job = jobs.start(command, { pty, shell: [shell, flag], output: { maxBytes: 0 } });
  job.on('data', onChunk);
  return { done: job.result, kill: () => job.kill('SIGKILL'), write: (text) => job.write(text) };
}
