// What packed packages say about themselves.
import { execFileSync } from 'node:child_process';

/** The package.json in a tarball of `npm pack`. */
export function manifestInTarball(file) {
  return JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }));
}

export function nameInTarball(file) {
  return manifestInTarball(file).name;
}

/** Whether this is the name of a package that has only the addon for one platform. */
export function isPlatformPackage(name) {
  return name.startsWith('agent-bash-');
}
