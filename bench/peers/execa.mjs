import { execa } from 'execa';
import { settled, takeLines } from '../lib/adapt.mjs';
import { flag, shell } from '../lib/shell.mjs';

export async function run(command) {
  // execa's default limit, 100 MB, is below what some scenarios write.
  const { stdout, stderr } = await execa(shell, [flag, command], { stdin: 'ignore', maxBuffer: Infinity });
  return stdout + stderr;
}

export function start(command, onChunk) {
  const child = execa(shell, [flag, command], { stdin: 'ignore', buffer: false });
  child.stdout.setEncoding('utf8').on('data', onChunk);
  child.stderr.setEncoding('utf8').on('data', onChunk);
  return { done: settled(child), kill: () => child.kill() };
}

export function lines(command, onLine) {
  return takeLines(execa(shell, [flag, command], { stdin: 'ignore', buffer: false }), onLine);
}
