// run() with warm shells. It is measured only in scenarios about start files.

import { prewarm as prewarmShells, run as runCommand } from '../../entry/index.mjs';
import { flag, shell } from '../lib/shell.mjs';

export async function run(command) {
  const { output } = await runCommand(command, { shell: [shell, flag], warm: true });
  return output;
}

export function prewarm(count) {
  if (!prewarmShells({ shell: [shell, flag], count })) throw new Error('no shell can wait here');
}
