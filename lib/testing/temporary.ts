import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a directory for temporary files. A test may change `process.platform`, and Node.js then names a
 * directory that is not there.
 */
export function makeTemporary(prefix: string, parent?: string | null): string {
  const usual = [parent, tmpdir(), '/tmp'].find((path) => path != null && existsSync(path));
  return mkdtempSync(join(usual ?? process.cwd(), prefix));
}
