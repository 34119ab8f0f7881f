// Finds the program that applies rules to requests.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codedError } from '../support/coded-error.ts';

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
  const { arch } = process;
  // The program is static: one for each processor.
  const names = [`${PACKAGE}.linux-${arch}-gnu`, `${PACKAGE}.linux-${arch}-musl`, `${PACKAGE}.linux-${arch}`];
  const folders = HERE === undefined ? [] : [join(HERE, '..')];
  try {
    folders.push(dirname(require.resolve(`${PACKAGE}/package.json`)));
  } catch {
    // Without the package, there may be a clone.
  }
  const all = folders.flatMap((folder) => names.map((name) => join(unpacked(folder), name)));
  const found = all.find((file) => existsSync(file));
  if (found !== undefined) return found;
  const name = HERE === undefined ? PACKAGE : `${PACKAGE}@${versionOf(join(HERE, '..'))}`;
  throw codedError('INTERCEPTOR_MISSING', `Rules for '${host}' need a package: npm install ${name}`);
}

/** Returns the version of the package in a folder. Both packages need the same one. */
function versionOf(folder: string): string {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
}

/** Returns a folder of Electron's archive as the one beside the archive, whose programs can be executed. */
function unpacked(folder: string): string {
  return folder.replace(/app\.asar(?=[\\/])/, '$&.unpacked');
}

export { interceptorProgram };
