import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const TOOLS = fileURLToPath(new URL('../tools/', import.meta.url));
const LOCK = join(TOOLS, 'package-lock.json');
const INSTALLED = join(TOOLS, 'node_modules/.installed.json');

/** A file among the programs that only these tests need. */
export function tool(path: string): string {
  return join(TOOLS, path);
}

/**
 * Installs those programs, if they are not there yet. They are many, so `npm ci` in the repository does
 * without.
 */
export async function installTools(): Promise<void> {
  const lock = readFileSync(LOCK, 'utf8');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lock) return;
  // The user's own registry. What `npm test` says about the repository would lead this npm astray.
  const { npm_config_local_prefix: _, ...env } = process.env;
  await promisify(execFile)('npm', ['ci', '--silent', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: TOOLS,
    env,
    timeout: 300_000,
  });
  copyFileSync(LOCK, INSTALLED);
}
