/** How much of a command line a pattern matches: each of its commands, one of them, or none. */
export type MatchExtent = 'whole' | 'some' | 'none';

/**
 * Matches texts, without the addon or for a command line that can't be read. Lines of plain words are divided
 * at their operators; others are compared as a whole.
 */
export function matchOfTexts(pattern: string, command: string): MatchExtent {
  if (isSameText(pattern, command)) return 'whole';
  if (!PLAIN.test(command)) return 'none';
  const found = command.split(OPERATOR).filter((part) => isSameText(pattern, part));
  return found.length === 0 ? 'none' : found.length === command.split(OPERATOR).length ? 'whole' : 'some';
}

/** A `*` at the end of a pattern stands for any words. */
function isSameText(pattern: string, command: string): boolean {
  const [wanted, text] = [pattern, command].map((each) => each.trim().replace(/\s+/g, ' '));
  if (!wanted.endsWith('*')) return wanted === text;
  const start = wanted.slice(0, -1).trimEnd();
  return text === start || text.startsWith(`${start} `) || start === '';
}

/** A line without quotes, expansions, redirections, groups and comments. */
const PLAIN = /^[^'"`$\\(){}<>#!]*$/;
const OPERATOR = /\s*(?:&&|\|\||[;|&\n])\s*/;
