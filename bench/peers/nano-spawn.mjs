import spawn from 'nano-spawn';
import { settled, takeLines } from '../lib/adapt.mjs';
import { flag, shell } from '../lib/shell.mjs';

export async function run(command) {
  const { stdout, stderr } = await spawn(shell, [flag, command], { stdin: 'ignore' });
  return stdout + stderr;
}

export function start(command, onChunk) {
  const running = spawn(shell, [flag, command], { stdin: 'ignore' });
  // nano-spawn returns its process in a promise, and reads nothing before that.
  const child = running.nodeChildProcess.then((process) => {
    process.stdout.on('data', onChunk);
    process.stderr.on('data', onChunk);
    return process;
  });
  return { done: settled(running), kill: async () => (await child).kill() };
}

export function lines(command, onLine) {
  return takeLines(spawn(shell, [flag, command], { stdin: 'ignore' }), onLine);
}
