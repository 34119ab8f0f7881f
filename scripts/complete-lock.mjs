// Adds the optional packages of other platforms to package-lock.json.
//
// A registry mirror may have the binaries of a package for some platforms only. npm then omits the others
// from the lock, `npm ci` refuses its own lock ("Missing: … from lock file", npm/cli#9846), and another
// platform would never get its binary. The package that needs them fixes their versions, so the registry is
// not needed; npm adds the checksums when it installs the real packages.

import { readFileSync, writeFileSync } from 'node:fs';

const LOCK = new URL('../package-lock.json', import.meta.url);
const OS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const CPU = ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];
const LIBC = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl' };

/**
 * Reads the platform from a package's name: `@biomejs/cli-linux-x64-musl` is os linux, cpu x64, libc musl.
 */
function platform(name) {
  const words = name.split('-');
  const os = OS.filter((word) => words.includes(word));
  const cpu = CPU.filter((word) => words.includes(word));
  const libc = words.map((word) => LIBC[word]).filter((word) => word !== undefined);
  if (cpu.length !== 1 || os.length > 1) throw new Error(`${name}: the name does not tell the platform`);
  return { os, cpu, libc: os[0] === 'linux' ? libc : [] };
}

const lock = JSON.parse(readFileSync(LOCK, 'utf8'));
const added = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const known = [`${path}/node_modules/${name}`, `node_modules/${name}`].some((at) => at in lock.packages);
    if (known) continue;
    if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${name}: ${version} is not one exact version`);
    const { os, cpu, libc } = platform(name);
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu,
      dev: true,
      ...(libc.length > 0 && { libc }),
      optional: true,
      ...(os.length > 0 && { os }),
    };
    added.push(`${name}@${version}`);
  }
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
lock.packages = Object.fromEntries(sorted);
writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added.length} binaries of other platforms entered into package-lock.json`);
