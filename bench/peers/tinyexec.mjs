import { x } from 'tinyexec';
import { takeLines } from '../lib/adapt.mjs';
import { flag, shell } from '../lib/shell.mjs';

const OPTIONS = { nodeOptions: { stdio: ['ignore', 'pipe', 'pipe'] } };

export async function run(command) {
  const { stdout, stderr } = await x(shell, [flag, command], OPTIONS);
  return stdout + stderr;
}

export function start(command, onChunk) {
  const running = x(shell, [flag, command], OPTIONS);
  const child = running.process;
  child.stdout.setEncoding('utf8').on('data', onChunk);
  child.stderr.setEncoding('utf8').on('data', onChunk);
  return {
    done: new Promise((resolve) => child.on('close', resolve)),
    kill: () => running.kill(),
  };
}

export function lines(command, onLine) {
  return takeLines(x(shell, [flag, command], OPTIONS), onLine);
}
