// run() in a sandbox, with a workspace of its own.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run as runCommand } from '../../entry/index.mjs';
import { flag, shell } from '../lib/shell.mjs';

const root = mkdtempSync(join(tmpdir(), 'agent-bash-bench-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

export async function run(command) {
  const { output, error } = await runCommand(command, {
    shell: [shell, flag],
    root,
    sandbox: 'workspace-write',
  });
  if (error) throw error;
  return output;
}
