import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/**
 * A fresh directory, without links in its path, until the test that asks for it, or else all tests of the
 * file have run. In `/var/tmp`, it is outside of what a sandbox has for itself.
 */
export function temporaryDirectory(parent = tmpdir()): string {
  const path = mkdtempSync(join(realpathSync(parent), 'agent-bash-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  try {
    onTestFinished(remove);
  } catch {
    // No test runs: the file is being collected.
    afterAll(remove);
  }
  return path;
}
