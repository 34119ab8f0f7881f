// Runs in Bun, the only place where its loader works. It has a shell of its own inside, so for `true` there is no
// process at all.

import { executeShell } from '@oh-my-pi/pi-natives';
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
