// The checks of secret values and of headers, whose errors show no value.

import { invalid, isRecord, wrong } from '../options/checks.ts';
import type { Secret } from './api.ts';

/** The bounds of a value (bytes). */
const MIN_VALUE = 6;
const MAX_VALUE = 8192;

/** The characters of a header's value. */
const VALUE = /^[\t\x20-\x7e\x80-\u{10ffff}]*$/u;
const NAME_OF_HEADER = /^[\w!#$%&'*+.^`|~-]{1,128}$/;

/** Headers of a connection, and those that a message or its address is read by. */
const NOT_SET = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Checks a value that is given, or that a function has returned. */
function secretText(name: string, value: unknown): string {
  if (typeof value !== 'string') throw wrong(message(name, 'a string', typeof value));
  const bytes = Buffer.byteLength(value);
  if (bytes < MIN_VALUE || bytes > MAX_VALUE) {
    throw wrong(message(name, `${MIN_VALUE} to ${MAX_VALUE} bytes`, `${bytes}`));
  }
  if (!VALUE.test(value) || value.trim() !== value) {
    throw wrong(message(name, 'the characters of a header, without spaces around', 'others'));
  }
  return value;
}

/** Checks a value or a function. */
function secret(name: string, value: unknown): Secret {
  if (typeof value === 'function') return value as () => string;
  if (typeof value !== 'string') throw wrong(message(name, 'a string or a function', typeof value));
  return secretText(name, value);
}

/** Checks an object of headers, and returns their names in lower case with their values. */
function headersOf<Value>(
  name: string,
  given: unknown,
  check: (name: string, value: unknown) => Value,
): [string, Value][] {
  if (!isRecord(given)) throw wrong(message(name, 'an object of headers', typeof given));
  return Object.entries(given).map(([header, value]) => {
    const key = header.toLowerCase();
    if (!NAME_OF_HEADER.test(header) || NOT_SET.includes(key)) {
      throw invalid(name, 'names of headers that are not of the connection', header);
    }
    return [key, check(`${name}.${header}`, value)];
  });
}

/** Checks the text of a header, in which `{}` stands for a value. */
function template(name: string, value: unknown): string {
  if (typeof value !== 'string' || !value.includes('{}') || !VALUE.test(value)) {
    throw invalid(name, "a text with '{}' for the value", value);
  }
  return value;
}

/** Returns the message for a wrong value, without the value. */
function message(name: string, expected: string, got: string): string {
  return `Invalid option '${name}': expected ${expected}, got ${got}`;
}

export { headersOf, secret, secretText, template };
