// Grades the rules by which a view leaves out lines (`minimize`): what they save, and that no line that must
// be seen is lost.
//
//   npm run grade -- --minimize            a table of what is saved, by program; tokens after
//                                          `npm install --prefix bench`
//   npm run grade -- --minimize --check    fails at a lost line, or at a point less saving than in
//                                          bench/corpus/figures.json
//   npm run grade -- --minimize --update   writes the figures

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { view } from '../entry/index.mjs';

const FIGURES = new URL('../bench/corpus/figures.json', import.meta.url);

/** The largest budget of a view (bytes): what is left out below it is left out by the rules. */
const NO_BUDGET = 1024 * 1024;

/** The halves of the corpus, and of the logs without a failure. */
const HALVES = ['training', 'held-out'];

/** Returns the plain lines of a view of all of a log; of a long log, those of a view without rules. */
async function linesOf({ bytes, exitCode }) {
  const { text } = await view(bytes, { exitCode, maxBytes: NO_BUDGET });
  return text.split('\n');
}

function minimized({ bytes, exitCode, command }, maxBytes = NO_BUDGET) {
  return view(bytes, { exitCode, command, maxBytes, minimize: true });
}

/** Returns the required lines that a view shows without rules and loses with them. */
async function lost(log) {
  const missed = [];
  for (const maxBytes of [NO_BUDGET, 16_000]) {
    const { text: before } = await view(log.bytes, { exitCode: log.exitCode, maxBytes });
    const { text: after } = await minimized(log, maxBytes);
    for (const { text } of log.mustSee) {
      if (before.includes(text) && !after.includes(text)) missed.push(`${log.name} at ${maxBytes}: ${text}`);
    }
  }
  return missed;
}

/** Returns a number from 0 to `most` that depends on a text alone. */
function numberOf(text, most) {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003;
  return hash % (most + 1);
}

/** The number of required lines that are put into a log at a time: few enough to be far from each other. */
const AT_A_TIME = 6;

/**
 * Puts each required line of the corpus somewhere into a log, and returns those that its view does not show.
 * What begins like a line of a difference would be one in the difference of a lock file.
 */
async function hidden(log, allRequired) {
  const isDifference = log.command.startsWith('git diff');
  const required = allRequired.filter((line) => !(isDifference && /^[-+@]/.test(line)));
  const lines = log.bytes.toString().split('\n');
  const missed = [];
  for (let first = 0; first < required.length; first += AT_A_TIME) {
    const batch = required.slice(first, first + AT_A_TIME);
    const places = batch.map((line) => ({ line, at: numberOf(`${log.name} ${line}`, lines.length - 1) }));
    const all = [...lines];
    for (const { line, at } of places.toSorted((one, other) => other.at - one.at)) all.splice(at, 0, line);
    const { text, complete } = await minimized({ ...log, bytes: Buffer.from(all.join('\n')) });
    if (complete) continue;
    const shown = new Set(text.split('\n').map((line) => line.trim()));
    for (const { line, at } of places) if (!shown.has(line)) missed.push(`${log.name}:${at}: ${line}`);
  }
  return missed;
}

/** Returns a fault of a view: a line that is not of the log, or not in its order, or a wrong count. */
async function fault(log) {
  const { text, complete, leftOut, shown, lines } = await minimized(log);
  if (complete) return undefined;
  const all = await linesOf(log);
  const printed = text
    .split('\n')
    .slice(0, -1)
    .filter((line) => !/^\[lines? \d+(-\d+)? left out: /.test(line));
  let next = 0;
  for (const line of printed) {
    const found = all.indexOf(line, next);
    if (found < 0) return `${log.name}: no line of the log: ${line}`;
    next = found + 1;
  }
  const count = [...shown.map(([from, to]) => to - from + 1), ...leftOut.map((gap) => gap.lines)];
  const sum = count.reduce((total, number) => total + number, 0);
  return sum === lines ? undefined : `${log.name}: ${sum} lines have an account, of ${lines}`;
}

/** Returns a function that counts tokens; without the package, a token counts as four bytes. */
function tokenizer() {
  try {
    const { encode } = createRequire(new URL('../bench/', import.meta.url))('gpt-tokenizer');
    return (text) => encode(text).length;
  } catch {
    return (text) => Math.ceil(Buffer.byteLength(text) / 4);
  }
}

/** Returns the lines that must be seen in any log, as they are there. */
async function requiredLines(logs) {
  const found = new Set();
  for (const log of logs) {
    const lines = await linesOf(log);
    for (const { text } of log.mustSee) {
      const line = lines.find((candidate) => candidate.includes(text));
      if (line !== undefined && line.length < 300) found.add(line.trim());
    }
  }
  return [...found];
}

async function savings(logs) {
  const tokens = tokenizer();
  const rows = [];
  for (const log of logs) {
    const { text, complete } = await minimized(log);
    const whole = (await linesOf(log)).join('\n');
    rows.push({
      name: log.name,
      kind: log.kind,
      bytes: Buffer.byteLength(whole),
      left: complete ? Buffer.byteLength(whole) : Buffer.byteLength(text),
      tokens: tokens(whole),
      leftTokens: complete ? tokens(whole) : tokens(text),
    });
  }
  return rows;
}

const sum = (rows, name) => rows.reduce((total, row) => total + row[name], 0);

/** Returns the share that is saved (%), of all logs together. */
function saved(rows, before = 'bytes', after = 'left') {
  return Number((100 - (100 * sum(rows, after)) / sum(rows, before)).toFixed(1));
}

function table(half, rows) {
  console.log(`\n${half}: ${rows.length} logs without a failure\n`);
  console.log('program       logs   tokens     left   saved');
  const kinds = [...new Set(rows.map(({ kind }) => kind))].sort();
  for (const kind of [...kinds, 'all']) {
    const own = kind === 'all' ? rows : rows.filter((row) => row.kind === kind);
    const cells = [own.length, sum(own, 'tokens'), sum(own, 'leftTokens')].map(String);
    const share = `${saved(own, 'tokens', 'leftTokens').toFixed(1)} %`;
    console.log(
      kind.padEnd(14) +
        cells[0].padStart(4) +
        cells[1].padStart(9) +
        cells[2].padStart(9) +
        share.padStart(8),
    );
  }
}

/** `logsOf(half)` returns the logs of a half of the corpus, `passing(half)` those without a failure. */
async function gradeMinimizing(args, { logsOf, passing }) {
  const problems = [];
  const all = HALVES.flatMap(logsOf);
  for (const log of all) problems.push(...(await lost(log)));
  const required = await requiredLines(all);
  const figures = JSON.parse(readFileSync(FIGURES, 'utf8'));
  const is = {};
  for (const half of HALVES) {
    const logs = passing(half);
    for (const log of [...logs, ...all]) {
      const found = await fault(log);
      if (found !== undefined) problems.push(found);
    }
    for (const log of logs) problems.push(...(await hidden(log, required)));
    const rows = await savings(logs);
    is[half] = saved(rows);
    if (!args.includes('--check')) table(half, rows);
    const was = figures.minimize?.[half] ?? 0;
    if (args.includes('--check') && is[half] < was - 1) {
      problems.push(`${half}: ${is[half]} % of the bytes are saved, which were ${was} %`);
    }
  }
  console.log(
    `\nsaved: ${is.training} % of the bytes of the training half, ${is['held-out']} % of the other`,
  );
  if (args.includes('--update')) {
    writeFileSync(FIGURES, `${JSON.stringify({ ...figures, minimize: is }, null, 2)}\n`);
  }
  return problems;
}

export { gradeMinimizing };
