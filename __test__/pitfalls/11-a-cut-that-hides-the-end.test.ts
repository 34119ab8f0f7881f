import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../../index.js';

const COMMAND = 'echo first line; seq 200000; echo "error: the last line"';
const whole = `first line\n${Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join('')}error: the last line\n`;

describe('a long output', () => {
  it('keeps its beginning and its end by default', async () => {
    const { stdout, output, truncated, totalBytes } = await run(COMMAND, { output: { maxBytes: 2_000 } });
    for (const text of [stdout, output]) {
      expect(text.startsWith('first line\n1\n2\n')).toBe(true);
      expect(text).toContain('200000\nerror: the last line\n');
    }
    expect({ truncated, total: totalBytes.stdout }).toEqual({ truncated: true, total: whole.length });
  });

  const ENDS: Array<[string, string, () => RunOptions]> = [
    ['an exit', 'exit 7', () => ({})],
    ['a signal', 'kill -KILL $$', () => ({})],
    ['a timeout', 'exec sleep 60', () => ({ timeout: 1_000 })],
    ['its silence', 'exec sleep 60', () => ({ idleTimeout: 700 })],
    ['an abort', 'exec sleep 60', () => ({ signal: AbortSignal.timeout(1_000) })],
  ];

  it.each(ENDS)('is whole in its file after %s', async (_, end, options) => {
    await using result = await run(`${COMMAND}; ${end}`, {
      ...options(),
      output: { maxBytes: 500, spill: true },
    });
    expect(result.spill).toMatchObject({ bytes: whole.length, complete: true, error: null });
    expect(readFileSync(result.spillPath as string, 'utf8')).toBe(whole);
    expect(result.stdout).toContain('error: the last line');
  });
});
