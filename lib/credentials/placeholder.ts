// Placeholders: random texts that stand for credentials inside of a sandbox.

import { randomInt } from 'node:crypto';

/** The shortest placeholder (characters), so that none is guessed, and none stands in other text. */
const MIN_LENGTH = 20;

/** The length of a placeholder for a value of which nothing is known. */
const USUAL_LENGTH = 40;

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ANY = LOWER + UPPER + DIGITS;
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
 * letters and digits, with a known beginning, and with its `-`, `_` and `.` if most characters are others.
 * Other symbols become letters and digits. A JWT keeps its header, and the times of its payload. Without a
 * value, the text has 40 letters and digits.
 */
function placeholderOf(value: string | undefined): string {
  if (value === undefined) return randomOf(ANY, USUAL_LENGTH);
  let text = jwt(value) ?? ofSameForm(value);
  // Some values of few letters and digits come out again, and others are a known beginning and nothing else.
  while (text.includes(value)) text = randomOf(ANY, Math.max(value.length, MIN_LENGTH));
  return text;
}

/** Returns a random text with the beginning, the separators and the kinds of characters of a value. */
function ofSameForm(value: string): string {
  const prefix = PREFIX.exec(value)?.[0] ?? '';
  const rest = value.slice(prefix.length);
  const form = hasFewSeparators(rest) ? rest : rest.replace(SEPARATORS, '*');
  return prefix + randomized(lengthened(form, MIN_LENGTH - prefix.length));
}

/** The symbols that tokens have between their parts. Others may be those of a password. */
const SEPARATORS = /[-_.]/g;

/** Returns whether most characters are no separators, so that these tell little of a value. */
function hasFewSeparators(text: string): boolean {
  return (text.match(SEPARATORS)?.length ?? 0) * 2 < text.length;
}

/** Returns a text that is repeated up to a length. */
function lengthened(text: string, length: number): string {
  const unit = /[A-Za-z0-9]/.test(text) ? text : 'aB3';
  return text.length >= length
    ? text
    : text + unit.repeat(Math.ceil(length / unit.length)).slice(text.length, length);
}

/** Returns a text with a random letter or digit in place of each character that is no separator. */
function randomized(text: string): string {
  const isHex = /^[0-9a-f-]+$/.test(text) && /[a-f]/.test(text);
  const isUpperHex = /^[0-9A-F-]+$/.test(text) && /[A-F]/.test(text);
  const sets = [
    [LOWER, isHex ? HEX_LETTERS : LOWER],
    [UPPER, isUpperHex ? HEX_LETTERS.toUpperCase() : UPPER],
    [DIGITS, DIGITS],
  ] as const;
  const other = (character: string) => {
    return randomOf(sets.find(([own]) => own.includes(character))?.[1] ?? ANY, 1);
  };
  // By code units, so that the length stays.
  return text.replace(/[^-_.]/g, other);
}

/** Returns a random text of these characters. */
function randomOf(set: string, length: number): string {
  return Array.from({ length }, () => set[randomInt(set.length)]).join('');
}

/** Returns a JWT with another payload and signature; `undefined` for a text that is none. */
function jwt(value: string): string | undefined {
  if (!JWT.test(value)) return undefined;
  const [head = '', payload = '', signature = ''] = value.split('.');
  const claims = decoded(payload);
  if (decoded(head) === undefined || claims === undefined) return undefined;
  const [exp, iat] = [claims.exp, claims.iat].map((time) => (typeof time === 'number' ? time : undefined));
  const own = Buffer.from(JSON.stringify({ exp, iat, sub: randomOf(ANY, 24) }));
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
