import { bytes, type Case, codePoint } from './case.js';

const LIMIT = 102_400;

/** Characters of two, three and four bytes. */
const CHARACTERS = ['é', '€', '😀'];

/**
 * Texts in which the first `kept` bytes of a character come before the limit: none, some, and all of them.
 * What follows the character makes the text longer than the limit in each case.
 */
export const cuts: Case[] = CHARACTERS.flatMap((char) => {
  const size = Buffer.byteLength(char);
  return Array.from({ length: size + 1 }, (_, kept) => {
    const label = `the limit after ${kept} of the ${size} bytes of ${codePoint(char)}`;
    const before = 'x'.repeat(LIMIT - kept);
    return [
      bytes(`${label} on stdout`, `${before}${char}after`),
      bytes(`${label} on stderr`, '', `${before}${char}after`),
      bytes(`${label} on stderr behind stdout`, 'x'.repeat(50_000), `${before.slice(50_001)}${char}after`),
      bytes(`${label} at the end of stdout, stderr following`, `${before}${char}`, 'after'),
      bytes(
        `${label} in a text of such characters`,
        `${'x'.repeat((LIMIT - kept) % size)}${char.repeat(LIMIT)}`,
      ),
    ];
  }).flat();
});
