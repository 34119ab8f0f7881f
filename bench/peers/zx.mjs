import { $ } from 'zx';
import { settled, takeLines } from '../lib/adapt.mjs';
import { shell } from '../lib/shell.mjs';

// zx accepts a shell, but chooses its flag itself: -c, never -lc.
const zx = $({ shell, prefix: '', quiet: true, stdio: ['ignore', 'pipe', 'pipe'] });

/** zx does not quote a template without substitutions. */
function launch(command) {
  return zx([command]);
}

export async function run(command) {
  const { stdout, stderr } = await launch(command);
  return stdout + stderr;
}

export function start(command, onChunk) {
  const running = launch(command);
  running.stdout.on('data', (chunk) => onChunk(chunk.toString()));
  running.stderr.on('data', (chunk) => onChunk(chunk.toString()));
  return { done: settled(running), kill: () => running.kill() };
}

export function lines(command, onLine) {
  return takeLines(launch(command), onLine);
}
