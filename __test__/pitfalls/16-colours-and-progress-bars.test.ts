import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';

/** Returns the kept output of `printf`. */
async function kept(format: string, stripAnsi = true): Promise<string> {
  return (await run(['printf', format], { output: { stripAnsi } })).stdout;
}

describe('text for a terminal', () => {
  it.each([
    ['colours', '\\033[1;31mred\\033[0m and \\033[38;5;200mpink\\033[m\\n', 'red and pink\n'],
    ['a progress bar', ' 10%%\\r 50%%\\r100%%\\ndone\\n', '100%\ndone\n'],
    ['a shorter text over a longer one', 'abcdef\\rxy\\n', 'xycdef\n'],
    ['an erased line', 'working...\\r\\033[Kdone\\n', 'done\n'],
    ['line ends of Windows', 'one\\r\\ntwo\\r\\n', 'one\ntwo\n'],
    ['a title', '\\033]0;title\\007text\\n', 'text\n'],
    ['a link', '\\033]8;;https://example.org\\033\\\\link\\033]8;;\\033\\\\\\n', 'link\n'],
    ['backspaces', 'abd\\bc\\n', 'abc\n'],
    ['characters of all kinds', '\\033[32mä€😀\\033[0m\\n', 'ä€😀\n'],
    ['a sequence without an end', 'text\\n\\033[3', 'text\n'],
  ])('is kept without %s', async (_, format, expected) => {
    expect(await kept(format)).toBe(expected);
  });

  it('is kept as it is by default', async () => {
    expect(await kept('\\033[31mred\\033[0m\\rx\\n', false)).toBe('\x1b[31mred\x1b[0m\rx\n');
  });

  it('is read in sequences that come in parts', async () => {
    const parts = ['a\\033', '[3', '1', 'mb', '\\033[', '0m', 'c\\r', 'X\\n'];
    const command = parts.map((part) => `printf '${part}'`).join('; sleep 0.01; ');
    const { stdout, totalBytes } = await run(command, { output: { stripAnsi: true } });
    expect({ stdout, total: totalBytes.stdout }).toEqual({ stdout: 'Xbc\n', total: 15 });
  });
});
