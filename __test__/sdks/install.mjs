// Installs the SDKs that the adapters are tested against, if they are not there yet. They are many, so `npm
// ci` in the repository does without. Runs before the tests of this folder, and before its types are
// compiled.
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const LOCK = `${HERE}package-lock.json`;
const INSTALLED = `${HERE}node_modules/.installed.json`;

/**
 * Some SDKs ask for a newer Node.js than the oldest supported one, but work with it, as the tests show.
 */
const FLAGS = [
  '--ignore-scripts',
  '--omit=optional',
  '--engine-strict=false',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];

export async function installSdks() {
  const lock = readFileSync(LOCK, 'utf8');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lock) return;
  // Variables that `npm test` sets for the repository would mislead this npm.
  const { npm_config_local_prefix: _, ...env } = process.env;
  await promisify(execFile)('npm', ['ci', ...FLAGS], { cwd: HERE, env, timeout: 300_000 });
  copyFileSync(LOCK, INSTALLED);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await installSdks();
