// Reads the manifests of packed packages.
import { execFileSync } from 'node:child_process';

/** Returns the package.json in a tarball of `npm pack`. */
export function manifestInTarball(file) {
  return JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }));
}

export function nameInTarball(file) {
  return manifestInTarball(file).name;
}

/** Returns whether this is the name of another package than the main one. */
export function isBesideMain(name) {
  return name.startsWith('agent-bash-');
}

/** Returns whether this is the name of a package with the addon of one platform. */
export function isPlatformPackage(name) {
  return isBesideMain(name) && name !== 'agent-bash-interceptor';
}
