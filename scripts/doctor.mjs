// Shows what this machine has of what the tests use, what is left out without it, and how to install the
// rest.
//
//   npm run doctor                        # everything; fails if a requirement is missing
//   node scripts/doctor.mjs --brief       # what is missing only: `npm test` begins with it
//   node scripts/doctor.mjs --has sandbox # exits with 0 if that row of the table is there
//   node scripts/doctor.mjs --install-ci # installs what CI requires (Debian, as root), and fails if that
//   fails

import { execFileSync, spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { DOWNLOADS, isInstalled } from './downloads.mjs';
import { has, isRoot, TABLE } from './machine.mjs';

const { values: options } = parseArgs({
  options: {
    brief: { type: 'boolean', default: false },
    has: { type: 'string' },
    'install-ci': { type: 'boolean', default: false },
  },
});

/** The requirements of README.md: what a build needs. */
const REQUIREMENTS = [
  ['Node.js 20.19+, 22.13+ or 24+', isNewNode()],
  ['Rust 1.88 or newer', isAtLeast(versionOf('cargo'), [1, 88])],
  ['a C linker (cc)', versionOf('cc') !== null],
];

function isNewNode() {
  const [major, minor] = numbersOf(process.versions.node);
  return major >= 24 || (major === 22 && minor >= 13) || (major === 20 && minor >= 19);
}

/** Returns the numbers of a program's version, or `null` without that program. */
function versionOf(name) {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' });
  return status === 0 ? numbersOf(stdout) : null;
}

function numbersOf(text) {
  return (/\d+(\.\d+)+/.exec(text)?.[0] ?? '').split('.').map(Number);
}

function isAtLeast(version, wanted) {
  if (version === null) return false;
  const [major, minor] = version;
  return major > wanted[0] || (major === wanted[0] && minor >= wanted[1]);
}

function installForCi() {
  const wanted = TABLE.filter(({ inCi }) => inCi);
  const packages = wanted.filter(({ isThere }) => !isThere()).flatMap((row) => row.packages);
  if (packages.length > 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
    // A program may be missing although its package is installed.
    const flags = ['-qq', '-y', '--no-install-recommends', '--reinstall'];
    execFileSync('apt-get', ['install', ...flags, ...packages], { stdio: 'inherit', env });
  }
  const missing = wanted.filter(({ isThere }) => !isThere());
  for (const { name } of missing) console.error(`${name} is missing, also after its package was installed`);
  if (missing.length > 0) process.exitCode = 1;
}

function report() {
  const rows = TABLE.map((row) => ({ ...row, there: row.isThere() }));
  for (const [what, isThere] of REQUIREMENTS)
    if (!options.brief || !isThere) print(isThere, what, 'required');
  for (const { name, there, leavesOut, rootOnly } of rows)
    if (!options.brief || !there) print(there, name, leavesOut, rootOnly && !isRoot);
  const missing = rows.filter(({ there }) => !there);
  const packages = missing.filter((row) => isRoot || !row.rootOnly).flatMap((row) => row.packages);
  if (packages.length > 0)
    console.log(`\nTo have them on Debian: apt-get install ${[...new Set(packages)].join(' ')}`);
  for (const { install } of missing) if (install) console.log(`${packages.length > 0 ? '' : '\n'}${install}`);
  if (options.brief) {
    console.log(
      `\n${missing.length} of ${rows.length} optional parts are not there for this user; their tests are skipped, and counted by reason at the end.`,
    );
    console.log('All tests take 10 to 20 minutes on two processors.');
  }
  reportDownloads();
  if (REQUIREMENTS.some(([, isThere]) => !isThere)) process.exitCode = 1;
}

/** Says what the tests will install at their first run, which takes space and a network. */
function reportDownloads() {
  const wanted = DOWNLOADS.filter((row) => !isInstalled(row));
  if (wanted.length === 0) return;
  console.log('\nThe first run of the tests installs by npm:');
  for (const { what, folder, megabytes } of wanted)
    console.log(`${`${megabytes} MB`.padStart(9)}  ${what} (${folder})`);
  console.log();
}

/** Prints a row. What only root can have may be there all the same: it is not called missing. */
function print(isThere, name, remark, isForRoot = false) {
  const text = isThere ? '' : remark === 'required' ? ' (required)' : `  leaves out ${remark}`;
  const state = isThere ? 'ok     ' : isForRoot ? 'as root' : 'missing';
  console.log(`${state} ${name.padEnd(isThere ? 0 : 14)}${text}`);
}

if (options.has !== undefined) process.exitCode = has(options.has) ? 0 : 1;
else if (options['install-ci']) installForCi();
else report();
