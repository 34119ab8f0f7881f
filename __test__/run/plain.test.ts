import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';

const plain = async (input: string | Uint8Array) =>
  (await run(['cat'], { input, output: { stripAnsi: true } })).stdout;

const CASES: Array<[string, string, string]> = [
  ['plain text', 'a\tb\né🦀\n', 'a\tb\né🦀\n'],
  ['colours', '\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mrgb\x1b[39m\x1b[K\n', 'red rgb\n'],
  ['a title that ends with a bell', '\x1b]0;the title\x07text\n', 'text\n'],
  ['a title that ends with ST', '\x1b]2;the title é\x1b\\text\n', 'text\n'],
  ['a link', '\x1b]8;;https://example.org/\x1b\\the link\x1b]8;;\x1b\\\n', 'the link\n'],
  ['a progress bar', ' 10%\r 50%\r100%\ndone\n', '100%\ndone\n'],
  ['a progress bar that erases', 'working...\r\x1b[Kdone\n', 'done\n'],
  ['a progress bar without an end', '10%\r20%', '20%'],
  ['a shorter text over a longer one', 'abcdef\rXY\n', 'XYcdef\n'],
  ['carriage returns at the ends of lines', 'a\r\nb\r\n', 'a\nb\n'],
  ['backspaces', 'abc\b\bX\n', 'aXc\n'],
  ['movements', 'abc\x1b[2DX\x1b[5GY\n', 'aXc Y\n'],
  ['modes and other sequences', '\x1b[?25l\x1b[2Jx\x1b[?25h\x1b(B\x1b=\n', 'x\n'],
  ['a device control string', 'a\x1bPq#0;2\x1b\\b\n', 'ab\n'],
  ['single control characters', 'a\x00\x07\x0b\x0c\x7fb\n', 'ab\n'],
  ['a sequence that never ends', 'text\x1b[31', 'text'],
];

describe('stripAnsi', () => {
  it.each(CASES)('handles %s', async (_, input, expected) => {
    expect(await plain(input)).toBe(expected);
  });

  it('is off by default', async () => {
    const input = CASES.map(([, text]) => text).join('');
    expect((await run(['cat'], { input })).stdout).toBe(input);
  });

  it.each(CASES)('handles %s when each byte comes by itself', async (_, input, expected) => {
    const script =
      '$| = 1; local $/; for (split //, <STDIN>) { syswrite STDOUT, $_; select undef,undef,undef,0.0005 }';
    const { stdout } = await run(['perl', '-e', script], { input, output: { stripAnsi: true } });
    expect(stdout).toBe(expected);
  });

  it('works on both streams, each with its own line', async () => {
    const { stdout, stderr, output } = await run(
      "printf '\\033[31mout 1\\r'; printf 'err 1\\r' >&2; printf 'OUT\\n'; printf 'ERR\\n' >&2",
      { output: { stripAnsi: true } },
    );
    expect({ stdout, stderr, output }).toEqual({
      stdout: 'OUT 1\n',
      stderr: 'ERR 1\n',
      output: 'OUT 1\nERR 1\n',
    });
  });

  it('limits the text that is left, and counts what was written', async () => {
    const input = `${'\x1b[31m'.repeat(1000)}abcdef\n`;
    const { stdout, truncated, totalBytes } = await run(['cat'], {
      input,
      output: { stripAnsi: true, maxBytes: 7 },
    });
    expect({ stdout, truncated, totalBytes }).toEqual({
      stdout: 'abcdef\n',
      truncated: false,
      totalBytes: { stdout: 5007, stderr: 0 },
    });
  });

  it('shows the line that was being written when the time was up', async () => {
    const options = { timeout: 600, output: { stripAnsi: true } };
    const command = "printf 'start\\n\\033[32m10%%\\r20%%'; exec sleep 60";
    const ended = await run(command, options);
    expect({ status: ended.status, stdout: ended.stdout }).toEqual({
      status: 'timeout',
      stdout: 'start\n20%',
    });
  });

  it('leaves a megabyte of coloured lines with all of its text', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} of many é`);
    const input = lines.map((line) => `\x1b[3${line.length % 8}m${line}\x1b[0m\r\n`).join('');
    expect((await plain(input)) === `${lines.join('\n')}\n`).toBe(true);
  });
});
