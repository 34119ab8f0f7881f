// node-pty, precompiled. It gives the command a terminal, so there is one stream, and each line break has two
// characters. It is measured only in scenarios that stream output.

import pty from '@lydell/node-pty';
import { flag, shell } from '../lib/shell.mjs';

export async function run(command) {
  let text = '';
  await start(command, (chunk) => {
    text += chunk;
  }).done;
  return text;
}

export async function runProgram(program) {
  let text = '';
  await spawn(program, [], (chunk) => {
    text += chunk;
  }).done;
  return text;
}

export function start(command, onChunk) {
  return spawn(shell, [flag, command], onChunk);
}

function spawn(program, args, onChunk) {
  const terminal = pty.spawn(program, args, { cols: 200, rows: 50 });
  terminal.onData(onChunk);
  return {
    done: new Promise((resolve) => terminal.onExit(resolve)),
    kill: () => terminal.kill(),
    write: (text) => terminal.write(text),
  };
}
