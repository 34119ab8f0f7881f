import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Creates a directory, without links in its path, which is removed after all tests of the file. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'agent-bash-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
