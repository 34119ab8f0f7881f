// Checks a change within a minute: types, lints and formats of the files that changed, the tests of what they
// are about, and a smoke test, all against a build of the change. The first run in a clone compiles what
// later runs keep, which takes some minutes.
//
//   npm run check                  # what differs from the last commit
//   npm run check -- --since main  # what differs from another revision
//
// `npm test` runs everything. scripts/tests-of.mjs says which tests belong to which file.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, ROOT } from './stale.mjs';
import { rustTestsOf, TOO_LONG, testsNaming, testsOf } from './tests-of.mjs';

/** The failed tests of JavaScript after which the run ends: each that hangs takes its whole time. */
const MAX_FAILURES = 3;
/** The longest time of a test that sets none, in place of a minute: a busy machine needs a third of it. */
const TEST_TIMEOUT_MS = 20_000;
/**
 * The longest time of a program of Rust tests, which would wait for a test that hangs: most take some
 * seconds.
 */
const RUST_DEADLINE_MS = 120_000;

const { values: options } = parseArgs({ options: { since: { type: 'string', default: 'HEAD' } } });

function git(...words) {
  const text = execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' });
  return text.split('\0').filter(Boolean);
}

const changed = [
  ...git('diff', '--name-only', '-z', options.since),
  ...git('ls-files', '--others', '--exclude-standard', '-z'),
];
const present = changed.filter((path) => existsSync(join(ROOT, path)));
const isBelow = (...folders) => changed.some((path) => folders.some((folder) => path.startsWith(folder)));

const start = performance.now();
const seconds = (since) => `${((performance.now() - since) / 1_000).toFixed(1).padStart(5)} s`;

/** The steps that run. Each leads a process group, so that its end takes all of its programs with it. */
const running = new Set();
const kill = ({ pid }) => process.kill(-pid, 'SIGKILL');
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    running.forEach(kill);
    process.exit(1);
  });

/**
 * Runs a step, and prints its time; all of its output if it fails or takes longer than `deadline` (ms).
 * Rejects then.
 */
function step(title, [program, ...words], deadline) {
  const since = performance.now();
  const child = spawn(program, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  let timer;
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('spawn', () => {
      running.add(child);
      if (deadline !== undefined) timer = setTimeout(() => kill(child), deadline);
    });
    child.on('exit', () => {
      running.delete(child);
      clearTimeout(timer);
    });
    child.on('close', (status, signal) => {
      console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${seconds(since)}  ${title}`);
      if (status === 0) return resolve();
      if (signal !== null) output.push(Buffer.from(`killed after ${seconds(since).trim()}`));
      console.error(Buffer.concat(output).toString());
      reject(new Error(title));
    });
  });
}

const npx = (title, ...words) => step(title, ['npx', '--no-install', ...words]);

async function lint() {
  await step('tracked files and layers', ['npm', 'run', '--silent', 'lint:files']);
  const scripts = present.filter((path) => /\.([cm]?[jt]s|json)$/.test(path));
  const biome = ['check', '--error-on-warnings', '--no-errors-on-unmatched'];
  if (scripts.length > 0) await npx('biome', 'biome', ...biome, ...scripts);
  if (isBelow('lib/', 'src/node/')) await npx('types of lib/', 'tsc', '--project', 'lib');
  if (isBelow('lib/', '__test__/', 'examples/')) await npx('types', 'tsc');
}

/** The arguments of cargo that select the features for the tests of Rust. */
const FEATURES = [
  '--no-default-features',
  ...(process.platform === 'linux' ? ['--features', 'intercept'] : []),
];

/** Lints Rust, with a folder of its own for compiled code: cargo lets one program at a time use a folder. */
async function lintRust() {
  await step('rustfmt', ['cargo', 'fmt', '--check']);
  const { filters, programs } = rustTestsOf(changed);
  const tests = [...FEATURES, ...programs.flatMap((name) => ['--test', name])];
  const what = filters === null ? tests : ['--lib'];
  const clippy = [
    'cargo',
    'clippy',
    '--quiet',
    ...what,
    '--target-dir',
    'target/clippy',
    '--',
    '-D',
    'warnings',
  ];
  await step('clippy', clippy);
}

async function testRust() {
  const { filters, programs } = rustTestsOf(changed);
  const cargo = ['cargo', 'test', '--quiet', ...FEATURES];
  const chosen = programs.flatMap((name) => ['--test', name]);
  // One program for both, so that cargo compiles them side by side. The names of modules choose unit tests.
  const units = filters === null ? [] : ['--lib'];
  if (units.length + chosen.length === 0) return;
  await step('compile the tests of Rust', [...cargo, '--no-run', ...units, ...chosen]);
  const about = filters?.join(', ') || 'all';
  if (filters !== null)
    await step(`unit tests: ${about}`, [...cargo, ...units, '--', ...filters], RUST_DEADLINE_MS);
  for (const name of programs) {
    const without = TOO_LONG[name];
    const title = `tests/${name}${without ? ` without ${without}, which npm test has` : ''}`;
    const left = without ? ['--', '--skip', without] : [];
    await step(title, [...cargo, '--test', name, ...left], RUST_DEADLINE_MS);
  }
}

/** Returns the lines of code that were added, changed and removed. */
function changedLines() {
  const words = ['diff', '--unified=0', options.since, '--', 'lib', 'src'];
  const text = execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return text.split('\n').filter((line) => /^[+-](?![+-]{2} )/.test(line));
}

async function testJavaScript() {
  const tests = [...new Set([...testsOf(changed), ...testsNaming(changedLines())])];
  const run = ['vitest', 'run', `--bail=${MAX_FAILURES}`, `--testTimeout=${TEST_TIMEOUT_MS}`, '--project'];
  const sdks = tests.filter((path) => path.includes('/sdks/'));
  const inBrowser = tests.filter((path) => path.includes('/browser/'));
  const others = tests.filter((path) => !/\/(sdks|browser)\//.test(path));
  await npx(`${others.length} files of tests`, ...run, 'forks', ...others);
  if (sdks.length > 0) await npx('adapters', ...run, 'sdks', ...sdks);
  if (inBrowser.length > 0) await npx('pages', ...run, 'browser', ...inBrowser);
}

async function buildAndTest() {
  const since = performance.now();
  if (await build()) console.log(`ok     ${seconds(since)}  build of what is stale`);
  await testJavaScript();
}

if (changed.length === 0) {
  console.log(`Nothing differs from ${options.since}: name another revision by --since`);
  process.exit(0);
}
console.log(`${changed.length} files differ from ${options.since}`);
const work = [lint(), buildAndTest()];
if (changed.some((path) => /\.rs$|^Cargo\./.test(path))) work.push(lintRust(), testRust());
const failures = (await Promise.allSettled(work)).filter(({ status }) => status === 'rejected');
const reasons = failures.map(({ reason }) => `FAILED: ${reason.message}`);
console.log(
  [...reasons, `${reasons.length > 0 ? 'failed' : 'passed'} after ${seconds(start).trim()}`].join('\n'),
);
if (failures.length > 0) process.exitCode = 1;
