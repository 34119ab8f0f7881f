import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '../support/directory.js';

const BUSYBOX = '/bin/busybox';
/** The engine: crun needs other control groups than those of some machines. */
export const PODMAN = ['podman', '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'];

export function podman(...words: string[]): string {
  return execFileSync('podman', [...PODMAN.slice(1), ...words], { encoding: 'utf8' }).trim();
}

/** Imports an image of busybox into an engine, with further programs of this machine and their libraries. */
export function importBusybox(image: string, engine = podman, programs: string[] = []): void {
  const directory = temporaryDirectory();
  const root = join(directory, 'image');
  for (const name of ['bin', 'etc', 'tmp', 'proc', 'dev', 'sys', 'root'])
    mkdirSync(join(root, name), { recursive: true });
  copyFileSync(BUSYBOX, join(root, 'bin/busybox'));
  execFileSync('chroot', [root, '/bin/busybox', '--install', '-s', '/bin']);
  for (const program of programs) {
    const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
    for (const file of [program, ...libraries]) {
      const copy = join(root, file);
      mkdirSync(dirname(copy), { recursive: true });
      rmSync(copy, { force: true });
      copyFileSync(file, copy);
    }
  }
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
  chmodSync(join(root, 'tmp'), 0o1777);
  execFileSync('tar', ['-C', root, '-cf', join(directory, 'image.tar'), '.']);
  engine('import', join(directory, 'image.tar'), image);
  // In a hook, where this is called, no other hook removes it.
  rmSync(directory, { recursive: true });
}
