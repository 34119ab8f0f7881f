// run() with a view of the output. It is measured only beside run() without one.

import { run as runCommand } from '../../entry/index.mjs';
import { flag, shell } from '../lib/shell.mjs';

export async function run(command) {
  const { output } = await runCommand(command, {
    shell: [shell, flag],
    output: { maxBytes: KEPT, view: true },
  });
  return output;
}

/** The bytes that `bash()` keeps of each stream. */
const KEPT = 102_400;
