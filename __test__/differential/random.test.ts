import { linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { bytes, put, safe } from './cases/case.js';
import { SHOW_ARGUMENTS } from './cases/safe-words.js';
import { expectSame } from './difference.js';
import { addon } from './engines.js';
import { askBoth, temporaryDirectory } from './runner.js';
import { Random, repeat } from './seed.js';

const OUTPUTS = 150;
const COMMANDS = 300;
const LIMIT = 102_400;

const root = temporaryDirectory();
afterAll(() => rmSync(root, { recursive: true, force: true }));

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Pieces of output: plain, of several bytes, and wrong in one way or another. */
const PIECES: Buffer[] = [
  ...[
    'a',
    'word ',
    '\n',
    '\r\n',
    '\0',
    'é',
    'ñandú',
    '€',
    '日本',
    '😀',
    '\ufeff',
    '\ufffd',
    '\u{10ffff}',
  ].map((text) => Buffer.from(text)),
  ...[
    [0x80],
    [0xc3],
    [0xe2, 0x82],
    [0xf0, 0x9f],
    [0xf0, 0x9f, 0x98],
    [0xed, 0xa0, 0x80],
    [0xc0, 0xaf],
    [0xff],
    [0xf5, 0x80],
  ].map((raw) => Buffer.from(raw)),
];

function output(random: Random): Buffer {
  const size = random.pick([
    0,
    random.between(1, 200),
    random.between(49_000, 52_000),
    LIMIT + random.between(-8, 8),
    200_000,
  ]);
  if (size === 0) return Buffer.alloc(0);
  // A block of random pieces over and over is as good as new ones, and quicker. Odd sizes move its edges.
  const block = Buffer.concat(numbers(random.between(1, 400)).map(() => random.pick(PIECES)));
  const filler = random.next() < 0.5 ? block : Buffer.from('x');
  const tail = Buffer.concat(numbers(8).map(() => random.pick(PIECES)));
  const whole = Buffer.concat([Buffer.alloc(Math.max(0, size - tail.length), filler), tail, block]);
  // The cut falls where it falls: also inside a character.
  return whole.subarray(0, size);
}

describe.concurrent('random bytes give the same text', { timeout: 60_000 }, () => {
  it.each(numbers(OUTPUTS))('output %i', async (index) => {
    const random = new Random(index);
    const each = bytes('random', output(random), output(random));
    const { actual, expected } = await askBoth(addon, each, join(root, `output-${index}`));
    expectSame(actual, expected, repeat);
  });
});

const STARTS = [
  'git',
  'git ',
  'ls ',
  'g"it" ',
  "'git' ",
  '\\git\t',
  '"" git ',
  ' \u00a0git ',
  'swift test',
  '"swift test',
  'npm ',
  '',
];
const SIGNS = [
  '"',
  "'",
  '\\',
  ' ',
  '\t',
  '\n',
  'a',
  'bc',
  'ls',
  'git',
  'test',
  '""',
  "''",
  '$',
  ';',
  '*',
  'é',
  '😀',
  '\u00a0',
  '\ufeff',
  '\u0085',
];

function safeCommand(random: Random): string {
  const signs = numbers(random.between(0, 14)).map(() => random.pick(SIGNS));
  return random.pick(STARTS) + signs.join('');
}

/** Every program that may run shows its arguments; the directory has nothing else. */
function programs(dir: string): void {
  put(dir, 'git', SHOW_ARGUMENTS, 0o755);
  for (const name of ['ls', 'swift', 'npm', 'swift test', 'npm test'])
    linkSync(`${dir}/git`, `${dir}/${name}`);
}

describe.concurrent('random commands are read as the same words in safe mode', { timeout: 60_000 }, () => {
  it.each(numbers(COMMANDS))('command %i', async (index) => {
    const text = safeCommand(new Random(OUTPUTS + index));
    const each = safe('random', text, { setup: programs, env: (dir) => ({ PATH: dir }) });
    const { actual, expected } = await askBoth(addon, each, join(root, `command-${index}`));
    expectSame(actual, expected, `${repeat}\ncommand ${JSON.stringify(text)}`);
  });
});
