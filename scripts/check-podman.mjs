// Checks the sandbox in containers: with the settings that podman has by default, with an unmasked /proc, and
// privileged. By hand and as root, after `npm run build`; needs podman, runc and busybox-static.
//
//   node scripts/check-podman.mjs
//
// Exits with 1 if a container gets another sandbox than docs/sandbox.md says, or a result calls a part
// applied that a command could get around.

import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IMAGE = 'localhost/agent-bash-sandbox:check';
const ENGINE = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs'];

/** Limits that podman would raise otherwise, for which it may lack the right. */
const LIMITS = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];

const LAYERS = ['--tmpfs', '/var/tmp:rw,exec,mode=1777'];

/** The containers: the options of podman, and the parts that a sandbox in them lacks. */
const CONTAINERS = [
  { name: 'default', options: [], lacks: ['processes', 'home'] },
  { name: 'default with a tmpfs', options: LAYERS, lacks: ['processes'] },
  { name: 'unmask=ALL', options: [...LAYERS, '--security-opt', 'unmask=ALL'], lacks: [] },
  { name: 'privileged', options: [...LAYERS, '--privileged'], lacks: [] },
];

function podman(...words) {
  return execFileSync('podman', [...ENGINE, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 300_000,
  });
}

/** Copies the libraries that a program is linked with, and its loader, to where they are here. */
function copyLibraries(program, image) {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  for (const [library] of listed.matchAll(/\/\S+/g)) {
    cpSync(library, join(image, library), { recursive: true, dereference: true });
  }
}

/** Makes the files of an image: busybox, this Node.js and the package of this repository. */
function makeImage(image) {
  const names = ['bin', 'etc', 'tmp', 'proc', 'dev', 'sys', 'root', 'var/tmp', 'usr/bin'];
  for (const name of names) mkdirSync(join(image, name), { recursive: true });
  for (const name of ['tmp', 'var/tmp']) chmodSync(join(image, name), 0o1777);
  cpSync('/bin/busybox', join(image, 'bin/busybox'), { dereference: true });
  execFileSync('chroot', [image, '/bin/busybox', '--install', '-s', '/bin']);
  cpSync(process.execPath, join(image, 'bin/node'), { dereference: true });
  writeFileSync(join(image, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
  const place = join(image, 'node_modules/agent-bash');
  mkdirSync(place, { recursive: true });
  const built = readdirSync(ROOT).filter((name) => /^agent-bash(-helper)?\.linux-/.test(name));
  for (const name of ['package.json', 'index.js', 'native.cjs', 'bundle', 'entry', 'lib', ...built]) {
    cpSync(join(ROOT, name), join(place, name), { recursive: true });
  }
  cpSync(join(ROOT, 'scripts/podman/inside.mjs'), join(image, 'inside.mjs'));
  for (const name of built.filter((name) => name.endsWith('.node'))) copyLibraries(join(ROOT, name), image);
  copyLibraries(process.execPath, image);
}

/** Returns what is wrong in a container. */
function check({ name, options, lacks }) {
  const settings = ['--rm', '--network', 'none', ...LIMITS, ...options];
  const text = podman('run', ...settings, IMAGE, '/bin/node', '/inside.mjs');
  const { free, sandboxes } = JSON.parse(text);
  const wrong = Object.keys(free).filter((part) => !free[part]);
  const complaints = wrong.map((part) => `the attempt on '${part}' fails without a sandbox`);
  for (const { level, onUnavailable, status, error, mechanism, missing, lies, isLame } of sandboxes) {
    const where = `${level}, ${onUnavailable}`;
    console.log(`${name}: ${where}: ${error ?? `${mechanism}, missing: ${missing.join(', ') || 'nothing'}`}`);
    if (status !== 'exited') complaints.push(`${where}: ${status}`);
    // Only this level has a private home.
    const expected = lacks.filter((part) => part !== 'home' || level === 'workspace-write');
    if (missing?.join() !== expected.join()) {
      complaints.push(`${where}: lacks ${missing}, not ${expected}`);
    }
    if (lies.length > 0) complaints.push(`${where}: could get around ${lies}`);
    if (isLame) complaints.push(`${where}: could not write its workspace, or wrote the host's home`);
  }
  return complaints.map((complaint) => `${name}: ${complaint}`);
}

const place = mkdtempSync(join(tmpdir(), 'agent-bash-podman-'));
try {
  const image = join(place, 'image');
  makeImage(image);
  const archive = join(place, 'image.tar');
  execFileSync('tar', ['-C', image, '-cf', archive, '.']);
  podman('import', archive, IMAGE);
  const wrong = CONTAINERS.flatMap(check);
  for (const complaint of wrong) console.log(`WRONG ${complaint}`);
  if (wrong.length > 0) process.exitCode = 1;
} finally {
  podman('rmi', '--force', IMAGE);
  rmSync(place, { recursive: true, force: true });
}
