const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/**
 * Returns functions that colour text for a stream of this process. They return the text as it is where the
 * stream is no terminal with colours, or where NO_COLOR or TERM=dumb is set, which Node.js knows.
 */
function colorsFor(stream) {
  const hasColors = Boolean(stream.isTTY && stream.hasColors());
  const entries = Object.entries(CODES).map(([name, code]) => [
    name,
    (text) => (hasColors && text !== '' ? `\x1b[${code}m${text}\x1b[0m` : text),
  ]);
  return Object.fromEntries(entries);
}

/** Colours a unified diff as git does. */
function coloredDiff(diff, { bold, cyan, green, red }) {
  let isHeader = true;
  const paint = (line) => {
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

export { coloredDiff, colorsFor };
