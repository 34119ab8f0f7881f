// A registry mirror may carry a package's binaries for some platforms only. npm then leaves the others out of
// package-lock.json, `npm ci` refuses its own lock ("Missing: … from lock file", npm/cli#9846), and on another platform
// the binary would never be installed. Their versions are fixed by the package that asks for them, so they can be
// entered without the registry; npm adds the checksums when it meets the real packages.

import { readFileSync, writeFileSync } from 'node:fs';

const LOCK = new URL('../package-lock.json', import.meta.url);
const OS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const CPU = ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];
const LIBC = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl' };

/** `@biomejs/cli-linux-x64-musl` says where it runs: os linux, cpu x64, libc musl. */
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
