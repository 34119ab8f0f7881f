// The packages that tests install into folders of their own, which `npm ci` in the repository leaves out:
// they are large, and only those tests need them. Each is installed once, at the first run; `npm run doctor`
// lists them.
//
//   node scripts/downloads.mjs __test__/sdks    # installs those of a folder

import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The longest time of an installation (ms): that of the SDKs takes a minute on a slow line. */
const NPM_DEADLINE = 300_000;
const FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** Each row: the folder with the manifest, what is installed there, and its size on the disk. */
export const DOWNLOADS = [
  {
    folder: '__test__/sdks',
    what: 'the SDKs of the adapters',
    megabytes: 410,
    // Some SDKs ask for a newer Node.js than the oldest supported one, but work with it, as the tests show.
    flags: ['--omit=optional', '--engine-strict=false'],
  },
  { folder: '__test__/install/tools', what: 'package managers, bundlers and a registry', megabytes: 126 },
  { folder: '__test__/recording', what: 'asciinema-player', megabytes: 5 },
  { folder: '__test__/browser', what: 'playwright-core and axe-core', megabytes: 16 },
  { folder: '__test__/testing/runners', what: 'jest', megabytes: 54 },
  { folder: '__test__/secrets/injection/clients', what: 'clients of gRPC and WebSockets', megabytes: 14 },
];

/** The lock file of a folder, and its copy beside what was installed by it. */
const lockOf = (folder) => join(ROOT, folder, 'package-lock.json');
const installedLockOf = (folder) => join(ROOT, folder, 'node_modules/.installed.json');

/** Returns whether the packages of a folder are there, as its lock file names them. */
export function isInstalled({ folder }) {
  const installed = installedLockOf(folder);
  return existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lockOf(folder), 'utf8');
}

/** Installs the packages of a folder, unless they are there. Several processes may do so at once. */
export async function installFor(folder) {
  const row = DOWNLOADS.find((one) => one.folder === folder);
  if (row === undefined) throw new Error(`no packages are known of ${folder}`);
  if (isInstalled(row)) return;
  // Renamed when it is complete, so that no test sees half of it.
  const place = mkdtempSync(join(ROOT, folder, '.installing-'));
  try {
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(join(ROOT, folder, name), join(place, name));
    // The variable by which `npm test` names the repository would mislead this npm.
    const { npm_config_local_prefix: _, ...env } = process.env;
    const words = ['ci', ...FLAGS, ...(row.flags ?? [])];
    await promisify(execFile)('npm', words, { cwd: place, env, timeout: NPM_DEADLINE });
    copyFileSync(lockOf(folder), join(place, 'node_modules/.installed.json'));
    moveIntoPlace(row, join(place, 'node_modules'));
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** Renames what was installed to the folder's `node_modules`, unless another process was faster. */
function moveIntoPlace(row, installed) {
  const target = join(ROOT, row.folder, 'node_modules');
  if (!isInstalled(row)) rmSync(target, { recursive: true, force: true });
  try {
    renameSync(installed, target);
  } catch (error) {
    if (!isInstalled(row)) throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const folder of process.argv.slice(2)) await installFor(folder);
