// Checks a change within a minute: types, lints and formats of the files that changed, the tests of what they
// are about, and a smoke test, all against a build of the change.
//
//   npm run check                  # what differs from the last commit
//   npm run check -- --since main  # what differs from another revision
//
// `npm test` runs everything.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, ROOT } from './stale.mjs';

const { values: options } = parseArgs({ options: { since: { type: 'string', default: 'HEAD' } } });

/** Tests of the way of every command, a few seconds in all. */
const SMOKE = [
  'run/result',
  'run/reject',
  'run/cwd.test',
  'life/abort',
  'jobs/wait',
  'bash/answers',
  'policy/run',
  'tools/schemas',
];

/** The folder of tests for a folder of lib/, where it is not the one of that name. */
const FOLDERS = { addon: 'run', options: 'run', result: 'run', support: 'run', mcp: 'cli', adapters: 'sdks' };

function git(...words) {
  const text = execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' });
  return text.split('\0').filter(Boolean);
}

const changed = [
  ...git('diff', '--name-only', '-z', options.since),
  ...git('ls-files', '--others', '--exclude-standard', '-z'),
].filter((path) => existsSync(join(ROOT, path)));
const below = (...folders) => changed.filter((path) => folders.some((folder) => path.startsWith(folder)));
const rust = changed.filter((path) => /\.rs$|^Cargo\./.test(path));
const scripts = changed.filter((path) => /\.([cm]?[jt]s|json)$/.test(path));

/**
 * Returns the files of tests for a file of lib/: those of its name, and all of its folder that start no process; all of
 * a folder where each does.
 */
function testsOf(path) {
  if (path.startsWith('__test__/')) return path.endsWith('.test.ts') ? [path] : [];
  const [, room = ''] = path.split('/');
  const folder = join('__test__', FOLDERS[room] ?? room);
  if (!existsSync(join(ROOT, folder))) return [];
  const files = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.test.ts'));
  const stem = basename(path).split('.')[0];
  const quick = files.filter((name) => !name.includes('.process.'));
  const rest = quick.length > 0 ? quick : files;
  return [...new Set([...files.filter((name) => name.startsWith(stem)), ...rest])].map((name) =>
    join(folder, name),
  );
}

/** Runs a step; exits with its code if it fails. */
function step(title, program, ...words) {
  const start = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd: ROOT, encoding: 'utf8' });
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${seconds.padStart(5)} s  ${title}`);
  if (status === 0) return;
  console.error(`${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`);
  process.exit(1);
}

if (changed.length === 0) {
  console.log(`Nothing differs from ${options.since}: name another revision by --since`);
  process.exit(0);
}
console.log(`${changed.length} files differ from ${options.since}`);
step('tracked files and layers', 'npm', 'run', '--silent', 'lint:files');
if (scripts.length > 0)
  step(
    'biome',
    'npx',
    '--no-install',
    'biome',
    'check',
    '--error-on-warnings',
    '--no-errors-on-unmatched',
    ...scripts,
  );
if (below('lib/', 'types/').length > 0)
  step('types of lib/', 'npx', '--no-install', 'tsc', '--project', 'lib');
if (below('types/', '__test__/', 'examples/', 'index.d.ts').length > 0)
  step('types', 'npx', '--no-install', 'tsc');
if (rust.length > 0) {
  step('rustfmt', 'cargo', 'fmt', '--check');
  step('clippy', 'cargo', 'clippy', '--quiet', '--', '-D', 'warnings');
  const rooms = [...new Set(below('src/').map((path) => dirname(path).split('/').slice(1, 3).join('::')))];
  const filters = rooms.filter((room) => room && room !== 'bin');
  step(
    `unit tests of Rust: ${filters.join(', ')}`,
    'cargo',
    'test',
    '--quiet',
    '--no-default-features',
    '--lib',
    '--',
    ...filters,
  );
}
build();
const tests = new Set([
  ...changed.filter((path) => /^(lib|__test__)\//.test(path)).flatMap(testsOf),
  ...SMOKE.map((name) => `__test__/${name}`),
]);
const [sdks, others] = [
  [...tests].filter((path) => path.includes('/sdks/')),
  [...tests].filter((path) => !path.includes('/sdks/')),
];
step(
  `${others.length} files of tests`,
  'npx',
  '--no-install',
  'vitest',
  'run',
  '--project',
  'forks',
  ...others,
);
if (sdks.length > 0) step('adapters', 'npx', '--no-install', 'vitest', 'run', '--project', 'sdks', ...sdks);
