// Runs in Bun, because its loader works nowhere else. Its built-in shell starts no process for `true`.

import { executeShell, Shell } from '@oh-my-pi/pi-natives';
import { settled } from '../lib/adapt.mjs';

export async function run(command) {
  let text = '';
  await executeShell({ command, cwd: process.cwd() }, (_error, chunk) => {
    text += chunk;
  });
  return text;
}

export function start(command, onChunk) {
  const controller = new AbortController();
  const options = { command, cwd: process.cwd(), signal: controller.signal };
  return {
    done: settled(executeShell(options, (_error, chunk) => onChunk(chunk))),
    kill: () => controller.abort(),
  };
}

/** Opens a live shell. The library has only its embedded one, so the name of the shell is ignored. */
export function openSession() {
  const shell = new Shell();
  const cwd = process.cwd();
  return { run: (command) => shell.run({ command, cwd }, () => {}), close: () => shell.abort() };
}
