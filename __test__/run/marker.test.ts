import { describe, expect, it } from 'vitest';
import { type OutputOptions, run } from '../../index.js';

const SEED = Number(process.env.RUN_SEED ?? 20_260_727);

/** Mulberry32: small, and the same everywhere. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
const breaks = (bytes: Uint8Array) => bytes.filter((byte) => byte === 10).length;

const CHARACTERS = ['a', 'b', ' ', '\t', '\r', 'é', 'ß', '€', '한', '🦀', '👩‍👩‍👧', '\u0000', '{', '}'];

function text(below: (limit: number) => number): Buffer {
  let out = '';
  const lineLength = 1 + below(30);
  for (let rest = below(300); rest > 0; rest--) {
    out += below(lineLength) === 0 ? '\n' : CHARACTERS[below(CHARACTERS.length)];
  }
  return Buffer.from(out);
}

function options(below: (limit: number) => number, length: number): OutputOptions & { maxBytes: number } {
  const maxBytes = below(length + 5);
  const keep = (['head', 'tail', 'both'] as const)[below(3)];
  const cut = (['line', 'character', undefined] as const)[below(3)];
  const headBytes = keep === 'both' && below(2) === 0 ? below(maxBytes + 1) : undefined;
  return { maxBytes, keep, cut, headBytes };
}

describe('what is left out', () => {
  it(`is counted exactly, and what is kept is the text itself (seed ${SEED})`, async () => {
    const below = random(SEED);
    const cases = Array.from({ length: 300 }, () => {
      const bytes = text(below);
      return { bytes, output: options(below, bytes.length) };
    });
    const marker = '\u0001{bytes},{lines},{total}\u0001';
    for (let at = 0; at < cases.length; at += 10) {
      await Promise.all(
        cases.slice(at, at + 10).map(async ({ bytes, output }) => {
          const result = await run(['cat'], { input: bytes, output: { ...output, marker } });
          const story = JSON.stringify({ text: bytes.toString(), output, stdout: result.stdout });
          expect(result.totalBytes, story).toEqual({ stdout: bytes.length, stderr: 0 });
          expect(result.truncated, story).toBe(bytes.length > output.maxBytes);
          if (!result.truncated) {
            expect(result.stdout, story).toBe(bytes.toString());
            return;
          }
          const [head, numbers, tail, ...more] = result.stdout.split('\u0001');
          expect(more, story).toEqual([]);
          const [before, after] = [Buffer.from(head), Buffer.from(tail)];
          // The kept parts are the beginning and the end of the text, byte for byte.
          expect(bytes.subarray(0, before.length).equals(before), story).toBe(true);
          expect(bytes.subarray(bytes.length - after.length).equals(after), story).toBe(true);
          // The marker has the size of the missing part.
          const between = bytes.subarray(before.length, bytes.length - after.length);
          expect(numbers, story).toBe(`${between.length},${breaks(between)},${bytes.length}`);
          // Both parts are within their limits, and reach them except for a character or a line.
          const { maxBytes, keep, cut, headBytes } = output;
          const headLimit =
            keep === 'head' ? maxBytes : keep === 'tail' ? 0 : (headBytes ?? Math.floor(maxBytes / 2));
          const tailLimit = maxBytes - headLimit;
          expect(before.length, story).toBeLessThanOrEqual(headLimit);
          expect(after.length, story).toBeLessThanOrEqual(tailLimit);
          if (cut === 'character') {
            expect(before.length, story).toBeGreaterThan(headLimit - 4);
            expect(after.length, story).toBeGreaterThan(tailLimit - 4);
          } else if (before.length < headLimit - 3) {
            // More was given up than a character: then a line ends there.
            expect(head.endsWith('\n'), story).toBe(true);
          }
          if (cut !== 'character' && after.length < tailLimit - 3) {
            expect(bytes[bytes.length - after.length - 1], story).toBe(10);
          }
        }),
      );
    }
  });

  it(`is counted exactly in bytes that are not UTF-8 (seed ${SEED})`, async () => {
    const below = random(SEED + 1);
    const cases = Array.from({ length: 200 }, () => {
      const alphabet = [0x41, 0x0a, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xf0, 0x9f, 0xff];
      const bytes = Uint8Array.from({ length: 1 + below(60) }, () => alphabet[below(alphabet.length)] ?? 0);
      return { bytes, keep: (['head', 'tail'] as const)[below(2)], maxBytes: below(bytes.length) };
    });
    for (let at = 0; at < cases.length; at += 10) {
      await Promise.all(
        cases.slice(at, at + 10).map(async ({ bytes, keep, maxBytes }) => {
          const output = { keep, maxBytes, marker: '\u0001{bytes},{lines},{total}\u0001' };
          const { stdout, totalBytes } = await run(['cat'], { input: bytes, output });
          const story = JSON.stringify({ hex: Buffer.from(bytes).toString('hex'), output, stdout });
          const [head, numbers, tail] = stdout.split('\u0001');
          expect(totalBytes.stdout, story).toBe(bytes.length);
          const [omitted, lines, total] = numbers.split(',').map(Number);
          const length = bytes.length - omitted;
          const part = keep === 'head' ? bytes.subarray(0, length) : bytes.subarray(omitted);
          expect(keep === 'head' ? head : tail, story).toBe(decode(part));
          expect({ total, lines }, story).toEqual({
            total: bytes.length,
            lines: breaks(bytes) - breaks(part),
          });
        }),
      );
    }
  });
});

describe('the default marker', () => {
  it.each([
    [{ keep: 'both', maxBytes: 6 }, 'abc\n[... 4 bytes of a line omitted ...]\nhij'],
    [{ keep: 'head', maxBytes: 6 }, 'abcdef\n[... 4 bytes of a line omitted ...]\n'],
    [{ keep: 'tail', maxBytes: 6 }, '[... 4 bytes of a line omitted ...]\nefghij'],
  ] as Array<[OutputOptions, string]>)('is a line of its own with %o', async (output, expected) => {
    expect((await run(['cat'], { input: 'abcdefghij', output })).stdout).toBe(expected);
  });

  it('follows a line that has ended without an empty one', async () => {
    const { stdout } = await run(['cat'], { input: 'abc\nxxxxxxxxxx\nhij\n', output: { maxBytes: 8 } });
    expect(stdout).toBe('abc\n[... 11 bytes (1 line) omitted ...]\nhij\n');
  });
});

describe('a marker', () => {
  it.each([
    ['empty', '', 'abij'],
    ['without numbers', '…', 'ab…ij'],
    ['with one number twice', '{bytes}{bytes}', 'ab66ij'],
    ['with other braces', '{{bytes}} {byte} {BYTES} {} {', 'ab{6} {byte} {BYTES} {} {ij'],
    ['with what a replacement might take for its own', '$& $1 \\0 %s {total}', 'ab$& $1 \\0 %s 10ij'],
    ['with line breaks of its own', '\n{lines} of {total}\n', 'ab\n0 of 10\nij'],
    ['with a number that looks like a name', '{bytes{lines}}', 'ab{bytes0}ij'],
  ])('may be %s', async (_, marker, expected) => {
    const { stdout } = await run(['cat'], { input: 'abcdefghij', output: { maxBytes: 4, marker } });
    expect(stdout).toBe(expected);
  });

  it('does not stand in a text that is whole', async () => {
    expect((await run(['cat'], { input: 'abcd', output: { maxBytes: 4, marker: 'X' } })).stdout).toBe('abcd');
  });

  it('does not count towards the limit', async () => {
    const marker = 'x'.repeat(1000);
    const { stdout } = await run(['cat'], { input: 'abcdefghij', output: { maxBytes: 4, marker } });
    expect(stdout).toBe(`ab${marker}ij`);
  });
});
