import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';

const CHARACTERS = 'ä€😀漢';
const octal = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`);

describe('a character that is written in parts', () => {
  it('is whole in chunks, in the result and in what can be read', async () => {
    const table = new Jobs();
    // Writes one byte at a time, on both streams at once.
    const write = octal(CHARACTERS)
      .map((byte) => `printf '${byte}'; printf '${byte}' >&2; sleep 0.01`)
      .join('; ');
    const job = table.start(write);
    const received = { stdout: '', stderr: '' };
    job.on('data', (text, stream) => {
      received[stream] += text;
    });
    const { stdout, stderr, totalBytes } = await job.result;
    const bytes = Buffer.byteLength(CHARACTERS);
    expect({ received, stdout, stderr, totalBytes }).toEqual({
      received: { stdout: CHARACTERS, stderr: CHARACTERS },
      stdout: CHARACTERS,
      stderr: CHARACTERS,
      totalBytes: { stdout: bytes, stderr: bytes },
    });
    expect([...job.read().text].sort()).toEqual([...CHARACTERS, ...CHARACTERS].sort());
    await table.dispose();
  });

  it.each(Array.from({ length: 12 }, (_, index) => index + 1))(
    'is never cut at %i bytes',
    async (maxBytes) => {
      for (const keep of ['head', 'tail', 'both'] as const) {
        const { stdout } = await run(['printf', CHARACTERS], {
          output: { maxBytes, keep, cut: 'character', marker: '' },
        });
        expect(stdout).not.toContain('\uFFFD');
        expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(maxBytes);
        if (keep === 'head') expect(CHARACTERS.startsWith(stdout)).toBe(true);
        if (keep === 'tail') expect(CHARACTERS.endsWith(stdout)).toBe(true);
      }
    },
  );

  it('is whole in many chunks of a long output', async () => {
    const table = new Jobs();
    const job = table.start(`yes '${CHARACTERS}' | head -n 60000`, { output: { maxBytes: 2_000_000 } });
    let text = '';
    for await (const chunk of job) text += chunk.text;
    expect(text === `${CHARACTERS}\n`.repeat(60_000)).toBe(true);
    expect((await job.result).stdout === text).toBe(true);
    await table.dispose();
  });
});
