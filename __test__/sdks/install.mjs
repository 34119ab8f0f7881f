// Installs the SDKs that the adapters are tested against, if they are not there yet. They are many, so `npm ci` in the
// repository does without. Runs before the tests of this folder (vitest) and before its types are compiled.
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const LOCK = `${HERE}package-lock.json`;
const INSTALLED = `${HERE}node_modules/.installed.json`;
const OURS = `${HERE}node_modules/agent-bash`;

/** Some ask for a newer Node than the oldest that this package is for, and work with it; the tests see that. */
const FLAGS = ['--ignore-scripts', '--omit=optional', '--engine-strict=false', '--no-audit', '--no-fund', '--loglevel=error'];

export async function setup() {
  const lock = readFileSync(LOCK, 'utf8');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lock) return;
  // What `npm test` says about the repository would lead this npm astray.
  const { npm_config_local_prefix: _, ...env } = process.env;
  await promisify(execFile)('npm', ['ci', ...FLAGS], { cwd: HERE, env, timeout: 300_000 });
  // Ours, as it is in the repository, found as any installed package is: by its `exports`.
  rmSync(OURS, { force: true });
  symlinkSync('../../..', OURS, 'dir');
  copyFileSync(LOCK, INSTALLED);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setup();
