type Quote = '"' | "'" | undefined;

/**
 * Splits a safe-mode command into words; `undefined` means that it can't be read.
 *
 * Only spaces and tabs separate words. A backslash takes the next character literally except inside single
 * quotes, where it is a character like any other. Words without a character in them are left out.
 */
export function words(command: string): string[] | undefined {
  const found: string[] = [];
  let word = '';
  let quote: Quote;
  const rest = command.trim()[Symbol.iterator]();
  const next = (): string | undefined => rest.next().value;

  for (let char = next(); char !== undefined; char = next()) {
    if (char === quote) {
      quote = undefined;
    } else if (char === '\\' && quote !== "'") {
      word += next() ?? '';
    } else if (quote !== undefined) {
      word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
    } else if (char === ' ' || char === '\t') {
      found.push(word);
      word = '';
    } else {
      word += char;
    }
  }
  if (quote !== undefined) return undefined;

  const kept = [...found, word].filter((each) => each !== '');
  return kept.length > 0 ? kept : undefined;
}
