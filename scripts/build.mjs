// Builds what the tests and the programs of this repository load: the addon, the helper program, on Linux the
// interceptor, and the bundle of lib/. cargo builds only what has changed.
//
//   node scripts/build.mjs            # for this machine: optimized, without link-time optimization
//   node scripts/build.mjs --debug    # not optimized: checks for overflows, line numbers in backtraces;
//                                     # builds what changed in a quarter of the time
//   node scripts/build.mjs --portable # as published, which takes several minutes
//
// `npm run build:portable` builds the addon and its programs as published, without the bundle.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const flag = { type: 'boolean', default: false };
const { values: options } = parseArgs({ options: { debug: flag, portable: flag } });

const addon = ['napi', 'build', '--platform', '--js', 'native.cjs', '--dts', 'native.d.ts'];
if (!options.debug) addon.push('--profile', 'local');

function interceptor(profile) {
  const program = ['node', 'scripts/build-program.mjs', '--interceptor', '--profile', profile];
  return ['the interceptor', 'about 60 s at first', program];
}

const programs = [
  ['the addon', 'about 90 s at first', ['npx', '--no-install', ...addon, '--', '--lib']],
  [
    'the helper program',
    'about 30 s at first',
    ['node', 'scripts/build-program.mjs', '--profile', options.debug ? 'debug-helper' : 'local-helper'],
  ],
  ...(process.platform === 'linux' ? [interceptor(options.debug ? 'debug-interceptor' : 'local')] : []),
];
const published = [
  ['the addon and its programs', 'about 7 min at first', ['bash', 'scripts/build-portable.sh']],
];

/** Each step: what is built, how long that takes at first on two processors, and the command. */
const steps = [
  ...(options.portable ? published : programs),
  ['the bundle of lib/', 'below 1 s', ['node', 'scripts/build-js.mjs']],
];

const start = performance.now();
for (const [index, [what, time, [program, ...words]]] of steps.entries()) {
  console.log(`[${index + 1}/${steps.length}] ${what} (${time})`);
  const env = { ...process.env };
  if (program === 'npx') env.CARGO = 'scripts/cargo-addon.sh';
  try {
    execFileSync(program, words, { cwd: ROOT, env, stdio: 'inherit' });
  } catch (error) {
    console.error(`Building ${what} failed (${program} ${words.join(' ')}): ${error.message}`);
    process.exit(1);
  }
}
console.log(`Built in ${Math.round((performance.now() - start) / 1_000)} s`);
