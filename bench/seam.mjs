// Measures what the place for a test's double costs a program without one: the bundle as it is, beside one
// that has nothing there. Commands of both take turns in one process, and imports in fresh ones.
//
//   npm run build && node bench/seam.mjs [--runs 2000] [--imports 100]

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import configuration from '../scripts/rolldown.config.mjs';
import { median } from './lib/stats.mjs';
import { timed } from './lib/time.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '2000' }, imports: { type: 'string', default: '100' } },
});
const require = createRequire(import.meta.url);

/** Puts nothing in the place of the seam. */
const withoutSeam = {
  name: 'without-seam',
  load: (id) =>
    id.endsWith('/addon/seam.ts')
      ? `export const CHILD = ''; export const SEAM_VERSION = 1;
         export const theDouble = () => undefined; export const putDouble = () => {};`
      : null,
};

/** Makes a copy of the package in a directory, with a bundle of its own. */
async function build(directory, plugins) {
  const [{ output, ...input }] = configuration;
  const bundle = await rolldown({ ...input, cwd: ROOT, plugins });
  await bundle.write({ ...output, dir: join(directory, 'bundle') });
  for (const name of ['index.js', 'entry', 'package.json', 'native.cjs']) {
    cpSync(join(ROOT, name), join(directory, name), { recursive: true });
  }
  for (const name of readdirSync(ROOT).filter((name) => /^agent-bash(-helper)?\.\w+-/.test(name))) {
    symlinkSync(join(ROOT, name), join(directory, name));
  }
}

const IMPORT = `
  const begin = process.hrtime.bigint();
  require(process.argv[1]);
  process.stdout.write(String(Number(process.hrtime.bigint() - begin) / 1e6));`;

function importTime(directory) {
  return Number(execFileSync(process.execPath, ['-e', IMPORT, join(directory, 'index.js')]));
}

/** Measures each of some things in turns, the first one of a turn being another each time. */
async function compare(count, measures) {
  const times = measures.map(() => []);
  for (let turn = 0; turn < count; turn++) {
    for (let index = 0; index < measures.length; index++) {
      const at = (turn + index) % measures.length;
      times[at].push(await measures[at]());
    }
  }
  return times;
}

/**
 * Prints the tenth and the median of both, and the median of the differences within a turn: a busy machine
 * slows both.
 */
function print(name, [withIt, without]) {
  const tenth = (times) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 10)];
  const row = (times) => `${tenth(times).toFixed(3)} | ${median(times).toFixed(3)}`;
  const difference = median(withIt.map((time, turn) => time - without[turn]));
  const share = (100 * difference) / median(without);
  console.log(
    `| ${name} | ${row(withIt)} | ${row(without)} | ${difference.toFixed(3)} (${share.toFixed(2)} %) |`,
  );
}

const base = mkdtempSync(join(tmpdir(), 'agent-bash-bench-'));
try {
  const places = [join(base, 'with'), join(base, 'without')];
  await build(places[0], []);
  await build(places[1], [withoutSeam]);
  console.log(
    '| ms | with: tenth | median | without: tenth | median | difference |\n|---|---|---|---|---|---|',
  );
  print(
    'import',
    await compare(
      Number(values.imports),
      places.map((place) => () => importTime(place)),
    ),
  );
  const runs = places.map((place) => require(join(place, 'index.js')).run);
  await compare(
    50,
    runs.map((run) => () => run('true')),
  );
  print(
    "`run('true')`",
    await compare(
      Number(values.runs),
      runs.map((run) => () => timed(() => run('true'))),
    ),
  );
} finally {
  rmSync(base, { recursive: true, force: true });
}
