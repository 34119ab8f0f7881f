import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CommandError, type RunOptions, run } from '../../index.js';
import { fileOf, isSame, joined, randomBytes } from '../support/random-bytes.js';

const BYTES = randomBytes(3_000_000);
const FILE = fileOf(BYTES);

describe("run() with encoding: 'buffer'", () => {
  it('gives the bytes of both streams as they were written', async () => {
    const { stdout, stderr, output, truncated, totalBytes } = await run(
      `cat ${FILE}; tail -c 1000 ${FILE} >&2`,
      {
        encoding: 'buffer',
        output: { maxBytes: BYTES.length },
      },
    );
    const end = BYTES.subarray(-1000);
    expect([isSame(stdout, BYTES), isSame(stderr, end)]).toEqual([true, true]);
    expect(isSame(output, joined([BYTES, end]))).toBe(true);
    expect({ truncated, totalBytes }).toEqual({
      truncated: false,
      totalBytes: { stdout: BYTES.length, stderr: 1000 },
    });
  });

  it('gives empty arrays for no output, and for a command that was not started', async () => {
    const nothing = { stdout: new Uint8Array(), stderr: new Uint8Array(), output: new Uint8Array() };
    expect(await run('true', { encoding: 'buffer' })).toMatchObject(nothing);
    const missing = await run('true', { encoding: 'buffer', cwd: '/none' });
    expect(missing).toMatchObject({ ...nothing, status: 'failed' });
    const aborted = await run('true', { encoding: 'buffer', signal: AbortSignal.abort() });
    expect(aborted).toMatchObject({ ...nothing, status: 'aborted' });
  });

  it.each([
    ['head', undefined, [0, 99], []],
    ['tail', undefined, [], [-99]],
    ['both', undefined, [0, 49], [-50]],
    ['both', 90, [0, 90], [-9]],
  ] as const)(
    'cuts exactly at the limit, without a marker (keep: %s, headBytes: %s)',
    async (keep, headBytes, head, tail) => {
      const { stdout, truncated, totalBytes } = await run(['cat', FILE], {
        encoding: 'buffer',
        output: { maxBytes: 99, keep, ...(headBytes === undefined ? {} : { headBytes }) },
      });
      const parts = [head, tail].map(([from, to]) =>
        from === undefined ? new Uint8Array() : BYTES.slice(from, to),
      );
      expect(isSame(stdout, joined(parts))).toBe(true);
      expect({ truncated, total: totalBytes.stdout }).toEqual({ truncated: true, total: BYTES.length });
    },
  );

  it('keeps both streams in one', async () => {
    const { stdout, stderr } = await run(String.raw`printf '\377'; printf '\0' >&2; printf '\200'`, {
      encoding: 'buffer',
      output: { merge: true },
    });
    expect([...stdout, ...stderr]).toEqual([0xff, 0, 0x80]);
  });

  it('spills the bytes that it cuts', async () => {
    await using result = await run(['cat', FILE], {
      encoding: 'buffer',
      output: { maxBytes: 10, spill: true },
    });
    expect(isSame(new Uint8Array(readFileSync(result.spillPath ?? '')), BYTES)).toBe(true);
    expect(isSame(result.stdout, joined([BYTES.subarray(0, 5), BYTES.subarray(-5)]))).toBe(true);
  });

  it('has the bytes in the error of a strict command, and standard error in its message', async () => {
    const command = String.raw`printf '\377'; echo wrong >&2; exit 3`;
    const error: unknown = await run(command, { encoding: 'buffer', reject: true }).catch((thrown) => thrown);
    if (!(error instanceof CommandError)) throw error;
    expect(error.message).toMatch(/failed with exit code 3: .*\nwrong$/);
    expect(error.result.stdout).toEqual(new Uint8Array([0xff]));
  });

  it.each([
    ['pty', { pty: true }],
    ['output.cut', { output: { cut: 'character' } }],
    ['output.marker', { output: { marker: '' } }],
    ['output.stripAnsi', { output: { stripAnsi: true } }],
    ['output.view', { output: { view: {} } }],
  ] as const)('refuses %s, which works on text', async (name, options) => {
    const message = `Invalid option 'options.${name}': expected nothing next to encoding: 'buffer'`;
    await expect(run('true', { encoding: 'buffer', ...options })).rejects.toThrow(message);
  });

  it('accepts the defaults of the options that work on text', async () => {
    const options: RunOptions<'buffer'> = {
      encoding: 'buffer',
      pty: false,
      output: { stripAnsi: false, view: false },
    };
    expect((await run('echo a', options)).stdout).toEqual(new Uint8Array([97, 10]));
  });
});

describe('the encoding', () => {
  it('is text by default', async () => {
    expect((await run('echo a')).stdout).toBe('a\n');
    expect((await run('echo a', { encoding: 'utf8' })).stdout).toBe('a\n');
  });

  it('is none of other names', async () => {
    const options = { encoding: 'utf7' } as unknown as RunOptions;
    const message = /Invalid option 'options.encoding': expected 'utf8', 'buffer', .* got 'utf7'/;
    await expect(run('true', options)).rejects.toThrow(message);
  });
});
