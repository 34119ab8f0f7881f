// Which tests belong to which file, for `npm run check`.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { has } from './machine.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

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

/** The folders of JavaScript tests for a folder of lib/ or src/, where it is not the one of that name. */
const FOLDERS = {
  lib: { addon: 'run', options: 'run', result: 'run', support: 'run', mcp: 'cli', adapters: 'sdks' },
  src: { node: 'run', policy: 'policy', session: 'session', text: 'view', tools: 'tools' },
};

/** The programs of tests/ for a folder of src/. Their names are those of the folder, or these. */
const PROGRAMS = {
  bin: ['helper'],
  engine: ['job'],
  helper: ['helper', 'sandbox'],
  process: ['process', 'helper'],
  syntax: ['policy'],
  target: ['target', 'helper'],
  wire: ['helper'],
};
/** Tests of a program that take more than a minute: `npm test` has them. */
export const TOO_LONG = { sandbox: 'attempts::' };
/** Programs that need the namespaces of a sandbox. */
const CONFINED = ['sandbox', 'policy_differential'];

const isTest = (name) => name.endsWith('.test.ts');

/** The most tests that have a word of a changed line, if the word is to say something about the change. */
const RARE = 8;
/** The most tests that are chosen by such words. */
const MAX_NAMING = 20;
/** Tests that take long, or need what another project of the test runner has. */
const APART = /\.soak\.|^(sdks|browser)\//;

/**
 * Returns the JavaScript tests for changed files, and the smoke test: for a file of lib/, those of its name
 * and all of its folder that start no host of their own; all of a folder where each does.
 */
export function testsOf(changed) {
  const found = changed.flatMap((path) => {
    if (path.startsWith('__test__/')) return isTest(path) && existsSync(join(ROOT, path)) ? [path] : [];
    const [top, name, ...below] = path.split('/');
    const room = basename(name ?? '', '.ts');
    const folder = top === 'lib' ? (FOLDERS.lib[room] ?? room) : FOLDERS[top]?.[room];
    if (folder === undefined) return [];
    const stem = basename(path).split('.')[0];
    const besideFolders = below.length === 0 ? testsNamed('__test__', stem) : [];
    return [...besideFolders, ...testsIn(`__test__/${folder}`, stem)];
  });
  return [...new Set([...found, ...SMOKE.map((name) => `__test__/${name}`)])];
}

/**
 * Returns the JavaScript tests that name what changed lines name, such as a code or a function: a behaviour
 * may be tested in another folder than that of its source.
 */
export function testsNaming(lines) {
  const words = new Set(lines.flatMap((line) => line.match(/[A-Za-z_]\w{4,}/g) ?? []));
  const paths = readdirSync(join(ROOT, '__test__'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => isTest(path) && !APART.test(path) && !path.includes('node_modules'),
  );
  const naming = new Map([...words].map((word) => [word, []]));
  for (const path of paths) {
    const named = new Set(readFileSync(join(ROOT, '__test__', path), 'utf8').match(/[A-Za-z_]\w{4,}/g));
    for (const word of named) naming.get(word)?.push(`__test__/${path}`);
  }
  const rare = [...naming.values()].filter(({ length }) => length <= RARE).flat();
  return [...new Set(rare)].slice(0, MAX_NAMING);
}

const testsOfFolder = (folder) =>
  existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder)).filter(isTest) : [];

const testsNamed = (folder, stem) =>
  testsOfFolder(folder)
    .filter((name) => name.startsWith(`${stem}.`))
    .map((name) => `${folder}/${name}`);

function testsIn(folder, stem) {
  const files = testsOfFolder(folder);
  const quick = files.filter((name) => !name.includes('.process.'));
  const chosen = (quick.length > 0 ? quick : files).map((name) => `${folder}/${name}`);
  return [...testsNamed(folder, stem), ...chosen];
}

/**
 * Returns the Rust tests for changed files: filters of unit tests (`null`: none of them, empty: all), and
 * programs of tests/.
 */
export function rustTestsOf(changed) {
  const parts = changed.filter((path) => /\.rs$|^Cargo\./.test(path)).map((path) => path.split('/'));
  const inSource = parts.filter(([top]) => top !== 'tests');
  const rooms = [...new Set(inSource.map(([top, room, file]) => (top === 'src' && file ? room : '')))];
  const inTests = parts.filter(([top]) => top === 'tests').map(([, name]) => basename(name, '.rs'));
  const names = [...rooms.flatMap((room) => PROGRAMS[room] ?? [room]), ...inTests];
  const there = readdirSync(join(ROOT, 'tests')).map((name) => basename(name, '.rs'));
  const canRun = (name) => there.includes(name) && name !== 'support';
  const canConfine = has('sandbox');
  const filters = rooms.includes('') ? [] : rooms.map((room) => `${room}::`);
  return {
    filters: inSource.length > 0 ? filters : null,
    programs: [...new Set(names)].filter((name) => canRun(name) && (canConfine || !CONFINED.includes(name))),
  };
}
