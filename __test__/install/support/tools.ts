import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOOLS = fileURLToPath(new URL('../tools/', import.meta.url));

/** A file among the programs that only these tests need, which `scripts/downloads.mjs` installs. */
export function tool(path: string): string {
  return join(TOOLS, path);
}
