import type { WriteStream } from 'node:tty';

/** Functions that colour a text, or return it as it is. */
export type Colors = Record<keyof typeof CODES, (text: string) => string>;

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/**
 * Returns functions that colour text for a stream of this process. They return the text as it is where the
 * stream is no terminal with colours, or where NO_COLOR or TERM=dumb is set, which Node.js knows.
 */
function colorsFor(stream: WriteStream): Colors {
  const hasColors = Boolean(stream.isTTY && stream.hasColors());
  const entries = Object.entries(CODES).map(([name, code]) => [
    name,
    (text: string) => (hasColors && text !== '' ? `\x1b[${code}m${text}\x1b[0m` : text),
  ]);
  return Object.fromEntries(entries) as Colors;
}

/** Colours a unified diff as git does. */
function coloredDiff(diff: string, { bold, cyan, green, red }: Colors): string {
  let isHeader = true;
  const paint = (line: string) => {
    if (line.startsWith('diff ')) isHeader = true;
    if (line.startsWith('@@ ')) {
      isHeader = false;
      return cyan(line);
    }
    if (isHeader) return bold(line);
    return line.startsWith('+') ? green(line) : line.startsWith('-') ? red(line) : line;
  };
  return diff.split('\n').map(paint).join('\n');
}

/** Returns a text on one line, without the characters that a terminal carries out. */
function visibleLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
}

export { coloredDiff, colorsFor, visibleLine };
