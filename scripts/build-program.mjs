// Builds the helper program, or the interceptor, and puts it at the top of the repository, beside the addon.
//
//   node scripts/build-program.mjs [--interceptor] [--platform linux-x64-gnu] [--profile helper] [--zig]
//
// On Linux the programs are linked statically, so one file runs beside any C library. With musl it is
// half as large as with glibc. If Rust has no musl target (`rustup target add x86_64-unknown-linux-musl`), it
// is linked with the C library of this machine. --zig links with cargo-zigbuild, which can link for another
// processor, but not glibc statically.

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    interceptor: { type: 'boolean', default: false },
    platform: { type: 'string', default: thisPlatform() },
    profile: { type: 'string' }, // of Cargo.toml; the helper has one of its own
    zig: { type: 'boolean', default: false },
  },
});
const kind = options.interceptor ? 'interceptor' : 'helper';
const name = `agent-bash-${kind}`;
const profile = options.profile ?? (options.interceptor ? 'release' : 'helper');

/** Returns the platform of this machine, as the addon is named for it. */
function thisPlatform() {
  const { arch, platform, report } = process;
  if (platform !== 'linux') return `${platform}-${arch}`;
  return `linux-${arch}-${report.getReport().header.glibcVersionRuntime ? 'gnu' : 'musl'}`;
}

const [system, processor] = options.platform.split('-');
const cpu = { x64: 'x86_64', arm64: 'aarch64' }[processor];
if (cpu === undefined || !existsSync(join(ROOT, 'npm', options.platform)))
  throw new Error(`no ${kind} for ${options.platform}`);
if (options.interceptor && system !== 'linux') throw new Error('the interceptor is for Linux');

/** Returns whether Rust can build for this target. */
function isInstalled(target) {
  const directory = execFileSync('rustc', ['--print', 'target-libdir', '--target', target], {
    encoding: 'utf8',
  });
  return existsSync(directory.trim());
}

function chooseTarget() {
  if (system === 'darwin') return `${cpu}-apple-darwin`;
  const musl = `${cpu}-unknown-linux-musl`;
  if (isInstalled(musl)) return musl;
  console.log(`Rust has no target ${musl}, so the ${kind} is linked with the C library of this machine`);
  return `${cpu}-unknown-linux-gnu`;
}

const target = chooseTarget();
// The feature `helper` leaves out the layers that neither program uses, which are half of the crate.
const features = ['--no-default-features', '--features', options.interceptor ? 'helper,intercept' : 'helper'];
const words = ['rustc', '--profile', profile, ...features, '--bin', name];
// A program at a fixed address has nothing to relocate when it starts.
const isStatic = ['-C', 'target-feature=+crt-static', '-C', 'relocation-model=static'];
const command = options.zig && !target.endsWith('-gnu') ? 'cargo-zigbuild' : 'cargo';
// The crate ring has C code, which uses nothing of a C library: the compiler of this machine does for musl.
const compiler = `CC_${target.replaceAll('-', '_')}`;
const env = options.interceptor && !options.zig ? { [compiler]: 'cc', ...process.env } : process.env;
execFileSync(command, [...words, '--target', target, '--', ...(system === 'linux' ? isStatic : [])], {
  cwd: ROOT,
  env,
  stdio: 'inherit',
});

const output = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
const built = join(output, target, profile, name);
// The interceptor fits any C library, and its package has the programs of all processors.
const placed = join(ROOT, `${name}.${options.interceptor ? `${system}-${processor}` : options.platform}`);
// A new file replaces the old one, because a guardian may still run the old one.
copyFileSync(built, `${placed}.new`);
if (process.platform === 'darwin') {
  // The linker signs with the name of its output, in which cargo has a hash of each build.
  const sign = ['--force', '--sign', '-', '--identifier', name];
  execFileSync('codesign', [...sign, `${placed}.new`], { stdio: 'inherit' });
}
renameSync(`${placed}.new`, placed);
console.log(`${placed}: ${readFileSync(placed).length} bytes`);
