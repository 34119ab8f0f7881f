// Placeholders: random texts that stand for credentials inside of a sandbox.

import { randomInt } from 'node:crypto';

/** The shortest placeholder (characters), so that none is guessed, and none stands in other text. */
const MIN_LENGTH = 20;

/** The length of a placeholder for a value of which nothing is known. */
const USUAL_LENGTH = 40;

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const HEX_LETTERS = 'abcdef';

/**
 * Beginnings by which clients and servers tell kinds of tokens. The longest one comes first. A UUID, a hash
 * and others have none.
 */
const PREFIX =
  /^(?:github_pat_|gh[pousr]_|glpat-|npm_|pypi-|sk-ant-(?:[a-z]+\d*-)?|sk-(?:proj|svcacct|admin)-|sk-or-v1-|[sr]k_(?:live|test)_|sk-|AIza|xox[abeprs]-|hf_|dckr_pat_|AKIA|ASIA|rubygems_|cio|dop_v1_|shp(?:at|ca|pa|ss)_|sq0[a-z]{3}-|SG\.|gsk_|xai-|r8_)/;

const JWT = /^[\w-]{8,}\.[\w-]{8,}\.[\w-]*$/;

/**
 * Returns a random text in place of a value: of its length, if that is not too short, and its kinds of
 * characters, with a known beginning. A JWT keeps its header, and the times of its payload. Without a value,
 * the text has 40 letters and digits.
 */
function placeholderOf(value: string | undefined): string {
  if (value === undefined) return randomized('aB3'.padEnd(USUAL_LENGTH, 'aB3'));
  const own = JWT.test(value) ? jwt(value) : undefined;
  if (own !== undefined) return own;
  const prefix = PREFIX.exec(value)?.[0] ?? '';
  const rest = value.slice(prefix.length);
  const text = prefix + randomized(lengthened(rest, MIN_LENGTH - prefix.length));
  return text === value ? placeholderOf(value) : text;
}

/** Returns a text that is repeated up to a length. */
function lengthened(text: string, length: number): string {
  const unit = /[A-Za-z0-9]/.test(text) ? text : 'aB3';
  return text.length >= length
    ? text
    : text + unit.repeat(Math.ceil(length / unit.length)).slice(text.length, length);
}

/** Returns a text with another random letter or digit in place of each one. */
function randomized(text: string): string {
  const isHex = /^[0-9a-f-]+$/.test(text) && /[a-f]/.test(text);
  const isUpperHex = /^[0-9A-F-]+$/.test(text) && /[A-F]/.test(text);
  const sets = [
    [LOWER, isHex ? HEX_LETTERS : LOWER],
    [UPPER, isUpperHex ? HEX_LETTERS.toUpperCase() : UPPER],
    [DIGITS, DIGITS],
  ] as const;
  const other = (character: string) => {
    const set = sets.find(([own]) => own.includes(character))?.[1];
    if (set !== undefined) return set[randomInt(set.length)];
    // A header can't have other characters, or a client may not expect them.
    return /[!-~]/.test(character) ? character : 'x';
  };
  return Array.from(text, other).join('');
}

/** Returns a JWT with another payload and signature; `undefined` for a text that is none. */
function jwt(value: string): string | undefined {
  const [head = '', payload = '', signature = ''] = value.split('.');
  const claims = decoded(payload);
  if (decoded(head) === undefined || claims === undefined) return undefined;
  const { exp, iat } = claims;
  const own = Buffer.from(JSON.stringify({ exp, iat, sub: randomized('aB3'.padEnd(24, 'aB3')) }));
  return `${head}.${own.toString('base64url')}.${randomized(signature)}`;
}

function decoded(part: string): Record<string, unknown> | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export { placeholderOf };
