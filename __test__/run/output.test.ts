import { describe, expect, it } from 'vitest';
import { type OutputOptions, type RunResult, run } from '../../index.js';
import { within } from '../support/slowness.mjs';

/** Returns the kept part of this stream. */
function kept(input: string | Uint8Array, output: OutputOptions): Promise<RunResult> {
  return run(['cat'], { input, output });
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('');

describe('output', () => {
  it('is kept whole up to a mebibyte of each stream by default', async () => {
    const { stdout, stderr, truncated } = await run(
      'head -c 1048576 /dev/zero | tr "\\0" a; head -c 1048576 /dev/zero | tr "\\0" b >&2',
    );
    expect([stdout === 'a'.repeat(1_048_576), stderr === 'b'.repeat(1_048_576)]).toEqual([true, true]);
    expect(truncated).toBe(false);
  });

  it('over that lacks its middle by default', async () => {
    const { stdout, stderr, truncated, totalBytes } = await run(
      'echo short; head -c 1048577 /dev/zero | tr "\\0" b >&2',
    );
    expect({ stdout, truncated, totalBytes }).toEqual({
      stdout: 'short\n',
      truncated: true,
      totalBytes: { stdout: 6, stderr: 1_048_577 },
    });
    const half = 'b'.repeat(524_288);
    expect(stderr === `${half}\n[... 1 byte of a line omitted ...]\n${half}`).toBe(true);
  });

  it.each([
    [{ maxBytes: 40 }, `${lines(1, 9)}[... 255 bytes (85 lines) omitted ...]\n${lines(95, 100)}`],
    [
      { keep: 'both', maxBytes: 40 },
      `${lines(1, 9)}[... 255 bytes (85 lines) omitted ...]\n${lines(95, 100)}`,
    ],
    [{ keep: 'head', maxBytes: 40 }, `${lines(1, 16)}[... 253 bytes (84 lines) omitted ...]\n`],
    [{ keep: 'tail', maxBytes: 40 }, `[... 252 bytes (87 lines) omitted ...]\n${lines(88, 100)}`],
    [
      { maxBytes: 40, headBytes: 4 },
      `${lines(1, 2)}[... 254 bytes (87 lines) omitted ...]\n${lines(90, 100)}`,
    ],
    [{ maxBytes: 40, headBytes: 40 }, `${lines(1, 16)}[... 253 bytes (84 lines) omitted ...]\n`],
    [{ maxBytes: 40, headBytes: 99 }, `${lines(1, 16)}[... 253 bytes (84 lines) omitted ...]\n`],
    [{ maxBytes: 40, headBytes: 0 }, `[... 252 bytes (87 lines) omitted ...]\n${lines(88, 100)}`],
    [{ keep: 'both', maxBytes: 0 }, '[... 292 bytes (100 lines) omitted ...]\n'],
    [{ keep: 'head', maxBytes: 0 }, '[... 292 bytes (100 lines) omitted ...]\n'],
    [{ keep: 'tail', maxBytes: 0 }, '[... 292 bytes (100 lines) omitted ...]\n'],
    [{ keep: 'both', maxBytes: 292 }, lines(1, 100)],
  ] as Array<[OutputOptions, string]>)('with %o is cut at lines', async (options, expected) => {
    const { stdout, output, totalBytes, truncated } = await kept(lines(1, 100), options);
    expect({ stdout, output, totalBytes, truncated }).toEqual({
      stdout: expected,
      output: expected,
      totalBytes: { stdout: 292, stderr: 0 },
      truncated: expected !== lines(1, 100),
    });
  });

  it.each([
    [{ keep: 'both', maxBytes: 6 }, 'abc<20 0 26>xyz'],
    [{ keep: 'both', maxBytes: 7 }, 'abc<19 0 26>wxyz'],
    [{ keep: 'both', maxBytes: 6, headBytes: 1 }, 'a<20 0 26>vwxyz'],
    [{ keep: 'both', maxBytes: 6, headBytes: 0 }, '<20 0 26>uvwxyz'],
    [{ keep: 'both', maxBytes: 6, headBytes: 6 }, 'abcdef<20 0 26>'],
    [{ keep: 'head', maxBytes: 6 }, 'abcdef<20 0 26>'],
    [{ keep: 'tail', maxBytes: 6 }, '<20 0 26>uvwxyz'],
    [{ keep: 'both', maxBytes: 1 }, '<25 0 26>z'],
    [{ keep: 'both', maxBytes: 25 }, 'abcdefghijkl<1 0 26>nopqrstuvwxyz'],
    [{ keep: 'both', maxBytes: 26 }, 'abcdefghijklmnopqrstuvwxyz'],
  ] as Array<[OutputOptions, string]>)('with %o is cut exactly', async (options, expected) => {
    const marker = '<{bytes} {lines} {total}>';
    for (const cut of ['line', 'character'] as const) {
      const result = await kept('abcdefghijklmnopqrstuvwxyz', { ...options, cut, marker });
      expect(result.stdout).toBe(expected);
    }
  });

  it.each([
    ['é', 2],
    ['€', 3],
    ['🦀', 4],
  ])('is never cut inside a character: %s', async (character, width) => {
    const text = `${character.repeat(20)}`;
    const total = 20 * width;
    for (let maxBytes = 0; maxBytes < total; maxBytes++) {
      const options = { maxBytes, cut: 'character', marker: '|{bytes}|' } as const;
      const whole = Math.floor(maxBytes / width);
      const omitted = `|${total - whole * width}|`;
      expect((await kept(text, { ...options, keep: 'head' })).stdout).toBe(character.repeat(whole) + omitted);
      expect((await kept(text, { ...options, keep: 'tail' })).stdout).toBe(omitted + character.repeat(whole));
    }
  });

  it.each([
    ['a stray byte', [0x61, 0xff, 0x62], 'a\ufffdb'],
    ['half a character at the end', [0x61, 0xf0, 0x9f], 'a\ufffd'],
    ['half a character before another', [0xe2, 0x82, 0x41], '\ufffdA'],
    ['an overlong form', [0xc0, 0xaf], '\ufffd\ufffd'],
    ['half a surrogate pair', [0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
    ['a NUL', [0x61, 0, 0x62], 'a\0b'],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
  ])('that is not UTF-8 is shown as U+FFFD: %s', async (_, bytes, expected) => {
    const { stdout, totalBytes, truncated } = await kept(Uint8Array.from(bytes), {});
    expect({ stdout, totalBytes, truncated }).toEqual({
      stdout: expected,
      totalBytes: { stdout: bytes.length, stderr: 0 },
      truncated: false,
    });
  });

  it('is limited for each stream on its own', async () => {
    const { stdout, stderr, truncated } = await run('printf abcdef; printf "uvw" >&2', {
      output: { maxBytes: 3, keep: 'head' },
    });
    expect({ stdout, stderr, truncated }).toEqual({
      stdout: 'abc\n[... 3 bytes of a line omitted ...]\n',
      stderr: 'uvw',
      truncated: true,
    });
  });

  it('is counted exactly, however it is written', async () => {
    const { totalBytes, truncated } = await run(
      'head -c 3000000 /dev/zero & head -c 7654321 /dev/zero >&2; wait; for i in 1 2 3; do printf é; done',
      { output: { maxBytes: 10 } },
    );
    expect({ totalBytes, truncated }).toEqual({
      totalBytes: { stdout: 3_000_006, stderr: 7_654_321 },
      truncated: true,
    });
  });

  it('that is empty is not truncated, whatever is kept', async () => {
    for (const keep of ['head', 'tail', 'both'] as const) {
      const { stdout, truncated } = await run('true', { output: { maxBytes: 0, keep } });
      expect({ stdout, truncated }).toEqual({ stdout: '', truncated: false });
    }
  });

  it.each([
    ['exit', 'seq 100; exit 3', {}],
    ['timeout', 'seq 100; exec sleep 60', { timeout: within(600) }],
    ['idle timeout', 'seq 100; exec sleep 60', { idleTimeout: within(600) }],
    ['death', 'seq 100; kill -KILL $$', {}],
  ])('is kept and counted the same at any end: %s', async (_, command, options) => {
    const { stdout, totalBytes, truncated } = await run(command, { ...options, output: { maxBytes: 40 } });
    expect({ stdout, totalBytes, truncated }).toEqual({
      stdout: `${lines(1, 9)}[... 255 bytes (85 lines) omitted ...]\n${lines(95, 100)}`,
      totalBytes: { stdout: 292, stderr: 0 },
      truncated: true,
    });
  });

  it.each([
    ['both end with a line break', 'echo a; echo b >&2', 'a\nb\n'],
    ['stdout does not', 'printf a; printf b >&2', 'a\nb'],
    ['stdout is empty', 'printf b >&2', 'b'],
    ['stderr is empty', 'printf a', 'a'],
    ['both are empty', 'true', ''],
  ])('as text for a model is stdout, then stderr: %s', async (_, command, expected) => {
    expect((await run(command)).output).toBe(expected);
  });
});
