import { describe, expect, it } from 'vitest';
import { bash } from '../../index.js';

describe('a command that is longer than an argument may be (128 KiB)', () => {
  it.each([200_000, 3_000_000])('of %i bytes is run', async (length) => {
    const command = `word='${'x'.repeat(length)}'; echo \${#word}`;
    expect(await bash({ command }, '/', false)).toBe(`${length}\n\n[Exit code: 0]`);
  });

  it('has an empty standard input', async () => {
    const command = `: '${'x'.repeat(200_000)}'; cat; echo end`;
    expect(await bash({ command }, '/', false)).toBe('end\n\n[Exit code: 0]');
  });

  it('exits with its own code', async () => {
    const command = `: '${'x'.repeat(200_000)}'; exit 7`;
    expect(await bash({ command }, '/', false)).toBe('\n[Exit code: 7]');
  });
});
