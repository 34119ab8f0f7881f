// Grades the view with the logs of bench/corpus/: in how many of them every line that must be seen is
// visible, at each budget.
//
//   npm run grade                the half that the weights were not set with
//   npm run grade -- training    the other half
//   npm run grade -- --check     both, and fails when a view breaks a promise, or a figure is below the
//                                one in bench/corpus/figures.json
//   npm run grade -- --update    writes bench/corpus/figures.json
//   npm run grade -- --ablation  both halves together, each time without one part of the choice
//   npm run grade -- --minimize  what rules leave out; scripts/grade-minimize.mjs describes it

import { readFileSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { view } from '../entry/index.mjs';
import native from '../native.cjs';
import { gradeMinimizing } from './grade-minimize.mjs';

const CORPUS = new URL('../bench/corpus/', import.meta.url);
const FIGURES = new URL('figures.json', CORPUS);
const BUDGETS = [2_000, 4_000, 8_000, 16_000, 30_000];
const HALVES = ['training', 'held-out'];

/** The graded ways: each gives the text for a log and a budget. */
const WAYS = {
  head: ({ bytes }, budget) => bytes.subarray(0, budget).toString(),
  tail: ({ bytes }, budget) => bytes.subarray(-budget).toString(),
  'head + tail': ({ bytes }, budget) => ends(bytes, budget, 0.5),
  '20 % + 80 %': ({ bytes }, budget) => ends(bytes, budget, 0.2),
  view: (log, budget) => viewed(log, budget),
};

function ends(bytes, budget, share) {
  if (bytes.length <= budget) return bytes.toString();
  const head = Math.round(budget * share);
  return `${bytes.subarray(0, head)}\n${bytes.subarray(head - budget)}`;
}

/** Parts that are switched off: the name of a row, and options of the addon. */
const ABLATIONS = {
  all: {},
  'without context': { before: 0, after: 0 },
  'without folding': { fold: false },
  'without exit code': { isUnknown: true },
  'without shares': { head: 0, tail: 0 },
};

/** Promises that a view has broken. */
const broken = [];

async function viewed({ name, bytes, exitCode }, budget) {
  const result = await view(bytes, { exitCode, maxBytes: budget });
  const size = Buffer.byteLength(result.text);
  if (size > budget) broken.push(`${name} at ${budget}: ${size} bytes`);
  const problem = unaccounted(result);
  if (problem !== undefined) broken.push(`${name} at ${budget}: ${problem}`);
  return result.text;
}

/** Returns a fault if a line is neither shown nor within exactly one marker, else `undefined`. */
function unaccounted({ text, lines, shown, leftOut, complete }) {
  if (complete) return undefined;
  const ranges = [...shown.map(([from, to]) => ({ from, to, lines: to - from + 1 })), ...leftOut];
  ranges.sort((one, other) => one.from - other.from);
  let next = 1;
  for (const { from, to } of ranges) {
    if (from !== next) return `line ${next} has no account`;
    next = to + 1;
  }
  if (next !== lines + 1) return `line ${next} has no account`;
  const markers = text.split('\n').filter((line) => /^\[lines? \d+(-\d+)? left out: /.test(line)).length;
  return markers < leftOut.length ? `${leftOut.length} markers, ${markers} found` : undefined;
}

/** Returns the logs of a half, which is in a folder of `folder`. */
function logsOf(half, folder = '') {
  const logs = JSON.parse(readFileSync(new URL(`${folder}${half}.json`, CORPUS), 'utf8'));
  return logs.map((log) => ({
    ...log,
    bytes: brotliDecompressSync(readFileSync(new URL(`${folder}${half}/${log.name}.log.br`, CORPUS))),
  }));
}

/**
 * Returns, for each budget, the share of logs (%) whose required lines are all visible, and the other logs.
 */
async function grade(logs, way) {
  const figures = {};
  const missed = {};
  for (const budget of BUDGETS) {
    missed[budget] = [];
    for (const log of logs) {
      const text = stripVTControlCharacters(await way(log, budget));
      if (!log.mustSee.every((must) => text.includes(must.text))) missed[budget].push(log.name);
    }
    figures[budget] = Number((100 - (100 * missed[budget].length) / logs.length).toFixed(1));
  }
  return { figures, missed };
}

async function report(half, ways = Object.keys(WAYS)) {
  const logs = logsOf(half);
  const table = {};
  let missed;
  for (const way of ways) ({ figures: table[way], missed } = await grade(logs, WAYS[way]));
  const needles = logs.reduce((sum, { mustSee }) => sum + mustSee.length, 0);
  console.log(
    `\n${half}: ${logs.length} logs, ${needles} lines that must be seen; all of them visible, % of logs\n`,
  );
  console.log(['budget'.padEnd(14), ...BUDGETS.map((budget) => String(budget).padStart(7))].join(''));
  for (const [way, figures] of Object.entries(table)) {
    console.log(
      [way.padEnd(14), ...BUDGETS.map((budget) => figures[budget].toFixed(1).padStart(7))].join(''),
    );
  }
  return { table, missed };
}

/** Prints what each part of the choice brings. */
async function ablate() {
  const logs = HALVES.flatMap((half) => logsOf(half));
  console.log(`${logs.length} logs; all lines visible that must be seen, % of logs\n`);
  console.log(['budget'.padEnd(20), ...BUDGETS.map((budget) => String(budget).padStart(7))].join(''));
  for (const [name, { isUnknown, ...options }] of Object.entries(ABLATIONS)) {
    const way = async ({ bytes, exitCode }, maxBytes) => {
      const endedWell = exitCode === 0 && !isUnknown;
      return (await native.viewOf({ bytes, endedWell }, { maxBytes, ...options })).text;
    };
    const { figures } = await grade(logs, way);
    console.log(
      [name.padEnd(20), ...BUDGETS.map((budget) => figures[budget].toFixed(1).padStart(7))].join(''),
    );
  }
}

async function main(args) {
  if (args.includes('--minimize')) {
    broken.push(
      ...(await gradeMinimizing(args, {
        logsOf: (half) => logsOf(half),
        passing: (half) => logsOf(half, 'passing/'),
      })),
    );
  } else if (args.includes('--ablation')) {
    await ablate();
  } else if (args.includes('--update')) {
    const { minimize } = JSON.parse(readFileSync(FIGURES, 'utf8'));
    const figures = { minimize };
    for (const half of HALVES) figures[half] = (await report(half)).table;
    writeFileSync(FIGURES, `${JSON.stringify(figures, null, 2)}\n`);
  } else if (args.includes('--check')) {
    const expected = JSON.parse(readFileSync(FIGURES, 'utf8'));
    for (const half of HALVES) {
      const { table } = await report(half, ['view']);
      for (const budget of BUDGETS) {
        const [is, was] = [table.view[budget], expected[half].view[budget]];
        if (is < was) broken.push(`${half} at ${budget}: ${is} %, which was ${was} %`);
      }
    }
  } else {
    const { missed } = await report(args.includes('training') ? 'training' : 'held-out');
    // The half that is set aside must not be used to set weights.
    if (args.includes('training')) console.log(missed);
  }
  for (const problem of broken) console.error(problem);
  process.exitCode = broken.length === 0 ? 0 : 1;
}

await main(process.argv.slice(2));
