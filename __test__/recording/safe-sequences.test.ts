import { describe, expect, it } from 'vitest';

interface Filter {
  push(text: string): string;
}

const { SafeSequences }: { SafeSequences: new (hasTerminal: boolean) => Filter } = await import(
  new URL('../../lib/live/output/safe-sequences.ts', import.meta.url).href
);

const passes = (text: string, hasTerminal: boolean) => new SafeSequences(hasTerminal).push(text);

describe('without a terminal', () => {
  it.each([
    ['colours', '\x1b[1;38;5;9mred\x1b[0m', '\x1b[1;38;5;9mred\x1b[0m'],
    ['tabs, line ends and backspaces', 'a\tb\r\nc\b', 'a\tb\r\nc\b'],
    ['no other control', 'a\x00\x05\x07\x0b\x0c\x0e\x0f\x7fb', 'ab'],
    ['no movement of the cursor', 'a\x1b[2J\x1b[H\x1b[1A\x1b7b', 'ab'],
    ['no private mode', 'a\x1b[?1049hb', 'ab'],
    ['no question in the form of a colour', 'a\x1b[?4mb\x1b[>4;2mc', 'abc'],
    ['C1 as its 7-bit form', 'a\x9b31mb', 'a\x1b[31mb'],
    ['no title, link or clipboard', 'a\x1b]0;t\x07b\x1b]8;;http://x\x1b\\c\x1b]52;c;eA==\x9cd', 'abcd'],
    ['no device control', 'a\x1bPq#0\x1b\\b\x90q\x9cc\x1b_G\x1b\\d\x1b^p\x1b\\e\x1bXs\x1b\\f', 'abcdef'],
    ['what follows a line end in a string that has no end', 'a\x1b]0;t\nb', 'a\nb'],
  ])('%s', (_name, text, passed) => expect(passes(text, false)).toBe(passed));
});

describe('with a terminal', () => {
  it.each([
    [
      'the cursor, erasing, margins and modes',
      '\x1b[2J\x1b[3;4H\x1b[2;5r\x1b[?1049h\x1b[4l\x1b7\x1bM\x1b(0\x1b[!p',
    ],
    ['the shape of the cursor and the form of keys', '\x1b[2 q\x1b[>1u\x1b[<u\x1b[>4;2m\x1b='],
    ['colours of the palette', '\x1b]4;1;rgb:ff/00/00\x1b\\\x1b]11;#000000\x1b\\\x1b]104\x1b\\'],
    ['bell and shifts', 'a\x07b\x0e\x0f'],
  ])('%s', (_name, text) => expect(passes(text, true)).toBe(text));

  it.each([
    ['device attributes', '\x1b[c\x1b[>c\x1b[=c\x1b[0c\x1bZ'],
    ['status and position', '\x1b[5n\x1b[6n\x1b[?6n'],
    ['modes', '\x1b[4$p\x1b[?25$p'],
    ['version, settings and terminal parameters', '\x1b[>q\x1bP$qm\x1b\\\x1b[x\x1b[1x\x1b[2$w'],
    ['window operations', '\x1b[18t\x1b[21t\x1b[3;1;1t'],
    ['keys and key modifiers', '\x1b[?u\x1b[?4m'],
    ['colours', '\x1b]11;?\x07\x1b]4;1;?\x1b\\\x1b]4;1;rgb:0/0/0;2;?\x07'],
    ['a checksum of the screen', '\x1b[1;1;1;1;2;2*y'],
    ['printing', '\x1b[5i\x1b[?4i'],
    ['answer back', '\x05'],
    ['another encoding or longer controls', '\x1b%@\x1b G'],
    [
      'titles, links, the clipboard, files',
      '\x1b]0;t\x07\x1b]2;t\x9c\x1b]8;;file:///\x07\x1b]52;c;?\x07\x1b]1337;File=:\x07',
    ],
  ])('nothing asks for, or sets: %s', (_name, text) => expect(passes(`a${text}b`, true)).toBe('ab'));

  it('lets no string through in which another one begins', () => {
    expect(passes('\x1b]0;a\x1b]52;c;eA==\x07b', true)).toBe('b');
    expect(passes('\x1b]0;a\x1b[31mb', true)).toBe('\x1b[31mb');
  });

  it('executes a control in the middle of a sequence, as terminals do', () => {
    expect(passes('\x1b[3\r1m', true)).toBe('\r\x1b[31m');
  });

  it('drops a sequence that is longer than any program needs', () => {
    expect(passes(`a\x1b[${'1;'.repeat(200)}mb\x1b]4;${'1;#000;'.repeat(99)}2;#fff\x07c`, true)).toBe('abc');
  });
});

describe('for any input', () => {
  const PIECES = [
    '\x1b',
    '\x1b[',
    '\x1b]',
    '\x1bP',
    '\x1b\\',
    '\x9b',
    '\x9d',
    '\x90',
    '\x9c',
    '\x07',
    '\x18',
    '\n',
    '\r',
    '?',
    '>',
    '=',
    '$',
    '!',
    ' ',
    ';',
    ':',
    '1',
    '31',
    '4',
    '52',
    '1049',
    'm',
    'h',
    'c',
    'n',
    't',
    'q',
    'p',
    'u',
    'H',
    'é',
    '𝄞',
    'x',
  ];
  /** Everything that may be in what passes: text, whole sequences, and controls. */
  const SAFE_TERMINAL =
    /^(?:[^\x00-\x1f\x7f-\x9f]|[\x07\b\t\n\v\f\r\x0e\x0f]|\x1b\[[\d;:?><=! ]*[@-~]|\x1b[()*+\-./#]?[0-~]|\x1b\][\w;:/#. ]*\x1b\\)*$/u;
  const SAFE_TEXT = /^(?:[^\x00-\x1f\x7f-\x9f]|[\b\t\n\r]|\x1b\[[\d;:]*m)*$/u;

  /** A generator of pseudorandom numbers below a limit (mulberry32), with a fixed seed. */
  function random(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    };
  }

  const seed = Number(process.env.LIVE_SEED ?? 1);
  const texts = Array.from({ length: 20_000 }, (_, index) => {
    const below = random(seed * 1_000_003 + index);
    return Array.from({ length: 1 + below(30) }, () => PIECES[below(PIECES.length)]).join('');
  });

  it.each([false, true])('only safe text passes, with a terminal: %s', (hasTerminal) => {
    const safe = hasTerminal ? SAFE_TERMINAL : SAFE_TEXT;
    for (const text of texts) {
      const passed = passes(text, hasTerminal);
      expect(safe.test(passed), JSON.stringify([text, passed])).toBe(true);
    }
  });

  it.each([false, true])('the same passes however the text is cut, with a terminal: %s', (hasTerminal) => {
    for (const text of texts) {
      const filter = new SafeSequences(hasTerminal);
      const passed = Array.from({ length: text.length }, (_, at) => filter.push(text[at])).join('');
      expect(passed, JSON.stringify(text)).toBe(passes(text, hasTerminal));
    }
  });

  it.each([false, true])('what has passed passes again unchanged, with a terminal: %s', (hasTerminal) => {
    for (const text of texts) {
      const passed = passes(text, hasTerminal);
      expect(passes(passed, hasTerminal), JSON.stringify(text)).toBe(passed);
    }
  });
});
