import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from './plan.js';

/** The longest argument that Linux takes, its closing NUL included. */
const MAX_ARGUMENT = 131_072;

/**
 * Calls `start` with the plan's program and arguments. A shell command too long for an argument is put into a
 * file, which the shell then runs: `$0` and the names in shell errors differ, the rest does not.
 */
export async function withScriptFile<T>(
  plan: Plan,
  start: (program: string, args: string[]) => Promise<T>,
): Promise<T> {
  const { program, args, script } = plan;
  if (script === undefined || Buffer.byteLength(script.text) < MAX_ARGUMENT) return start(program, args);

  const dir = mkdtempSync(join(tmpdir(), 'agent-bash-oracle-'));
  const file = join(dir, 'script');
  writeFileSync(file, script.text);
  const login = script.flags.includes('-lc') ? ['-l'] : [];
  try {
    return await start(program, [...login, file]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
