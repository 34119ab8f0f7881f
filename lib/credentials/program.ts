// Finds the program that applies rules to requests.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codedError } from '../support/coded-error.ts';
import { unpacked } from '../support/paths/unpacked.ts';

const PACKAGE = 'agent-bash-interceptor';

/**
 * The folder of the bundle, which lies beside the programs in a clone; `undefined` in a bundle of ES modules.
 */
const HERE = typeof __dirname === 'string' ? __dirname : undefined;

/**
 * Returns the path of the program: in a clone that of its build, else that of the package, which few users
 * need. `host` is one that has rules.
 *
 * @throws an error with the code `INTERCEPTOR_MISSING`
 */
function interceptorProgram(host: string): string {
  // The program is static: one for each processor.
  const name = `${PACKAGE}.linux-${process.arch}`;
  const folders = HERE === undefined ? [] : [join(HERE, '..')];
  try {
    folders.push(dirname(require.resolve(`${PACKAGE}/package.json`)));
  } catch {
    // Without the package, there may be a clone.
  }
  const all = folders.map((folder) => join(unpacked(folder), name));
  const found = all.find((file) => existsSync(file));
  if (found !== undefined) return found;
  const version = versionOf(folders[0]);
  const wanted = version === undefined ? PACKAGE : `${PACKAGE}@${version}`;
  throw codedError('INTERCEPTOR_MISSING', `Rules for '${host}' need a package: npm install ${wanted}`);
}

/** Returns the version of the package in a folder: both packages need the same one. */
function versionOf(folder: string | undefined): string | undefined {
  try {
    return JSON.parse(readFileSync(join(folder ?? '', 'package.json'), 'utf8')).version;
  } catch {
    // An application that was bundled into one file has no `package.json`.
    return undefined;
  }
}

export { interceptorProgram };
