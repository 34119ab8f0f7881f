// Runs in Bun, not in Node.

import { flag, shell } from '../lib/shell.mjs';

function launch(command) {
  return Bun.spawn([shell, flag, command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
}

export async function run(command) {
  const child = launch(command);
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return stdout + stderr;
}

export function start(command, onChunk) {
  const child = launch(command);
  return {
    done: Promise.all([read(child.stdout, onChunk), read(child.stderr, onChunk), child.exited]),
    kill: () => child.kill(),
  };
}

export function startBytes(command, onChunk) {
  const child = launch(command);
  return {
    done: Promise.all([readBytes(child.stdout, onChunk), readBytes(child.stderr, onChunk), child.exited]),
  };
}

async function read(stream, onChunk) {
  const decoder = new TextDecoder();
  await readBytes(stream, (chunk) => onChunk(decoder.decode(chunk, { stream: true })));
}

async function readBytes(stream, onChunk) {
  for await (const chunk of stream) onChunk(chunk);
}
