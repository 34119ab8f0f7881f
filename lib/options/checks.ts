import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { nearestName } from '../support/nearest-name.ts';
import { hintFor } from './foreign-options.ts';

/** An object of options as a caller gave it: its names are known, its values are not. */
export type Given<Name extends string> = {
  readonly [Each in Name as Each extends `${infer First}.${string}` ? First : Each]?: unknown;
};

/** An error with a stable code. */
export type CodedTypeError = TypeError & { code: string };

// Each check takes the name of an option and its value, and returns the value or throws. `undefined` is an
// absent value. An error names the option and the expected value.

/** Checks an object of options, and that it has no unknown one. */
function object<Name extends string>(name: string, value: unknown, known: readonly Name[]): Given<Name> {
  if (!isRecord(value)) throw invalid(name, 'an object', value);
  for (const key of Object.keys(value)) {
    const isKnown =
      (known as readonly string[]).includes(key) || known.some((other) => other.startsWith(`${key}.`));
    if (!isKnown) throw unknown(`${name}.${key}`, key, known);
  }
  return value as Given<Name>;
}

/** Returns whether a value has options as properties. An array or a map would count as an empty object. */
function isRecord(value: unknown): value is Record<string, unknown> {
  const hasItems = Array.isArray(value) || value instanceof Map || value instanceof Set;
  return value !== null && typeof value === 'object' && !hasItems;
}

function boolean(name: string, value: unknown): boolean | undefined {
  if (value !== undefined && typeof value !== 'boolean') throw invalid(name, 'true or false', value);
  return value;
}

function callback(name: string, value: unknown): unknown {
  if (value !== undefined && typeof value !== 'function') throw invalid(name, 'a function', value);
  return value;
}

function oneOf<const Choice>(name: string, value: unknown, choices: readonly Choice[]): Choice | undefined {
  if (value === undefined || choices.includes(value as Choice)) return value as Choice | undefined;
  const texts = choices.map((choice) => describe(choice));
  throw invalid(name, `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`, value);
}

/** Checks a number of milliseconds. Fractions are allowed. */
function milliseconds(
  name: string,
  value: unknown,
  meaning = 'a number of milliseconds, 0 for no limit',
): number | undefined {
  if (value !== undefined && !(typeof value === 'number' && Number.isFinite(value) && value >= 0)) {
    throw invalid(name, meaning, value);
  }
  return value;
}

/** Checks a number of milliseconds for a Node.js timer, which has 31 bits. */
function timerMilliseconds(name: string, value: unknown): number | undefined {
  const time = milliseconds(name, value, 'a number of milliseconds');
  if (time !== undefined && time > MAX_TIMER_MS) {
    throw invalid(name, `at most ${MAX_TIMER_MS} milliseconds`, value);
  }
  return time;
}

function integer(
  name: string,
  value: unknown,
  least: number,
  most: number,
  unit?: string,
): number | undefined {
  if (value !== undefined && !(isInteger(value) && value >= least && value <= most)) {
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    throw invalid(name, `an integer ${range}${unit === undefined ? '' : ` (${unit})`}`, value);
  }
  return value;
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** Checks text for the kernel, where a null byte would end it. */
function cText(name: string, value: unknown, meaning = 'a string'): string {
  if (typeof value !== 'string') throw invalid(name, meaning, value);
  if (value.includes('\0')) throw invalid(name, `${meaning} without null bytes`, value);
  return value;
}

/** Checks a path, and converts a `file:` URL to one. */
function path(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const meaning = 'a path or a file: URL';
  if (!(value instanceof URL)) return cText(name, value, meaning);
  let text: string;
  try {
    text = fileURLToPath(value);
  } catch {
    throw invalid(name, meaning, value.href);
  }
  return cText(name, text, meaning);
}

function abortSignal(name: string, value: unknown): AbortSignal | undefined {
  if (value !== undefined && !(value instanceof AbortSignal)) throw invalid(name, 'an AbortSignal', value);
  return value;
}

/** Converts text or bytes to a `Uint8Array`, without copying bytes. */
function bytes(name: string, value: unknown): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value);
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw invalid(name, 'a string or a Uint8Array', value);
}

function invalid(name: string, expected: string, actual: unknown): CodedTypeError {
  return wrong(`Invalid option '${name}': expected ${expected}, got ${describe(actual)}`);
}

function unknown(name: string, key: string, known: readonly string[]): CodedTypeError {
  const hint = hintFor(key, known);
  if (hint !== undefined) return wrong(`Invalid option '${name}': unknown; ${hint}`);
  const meant = nearestName(key, known);
  return wrong(`Invalid option '${name}': unknown${meant === undefined ? '' : `; did you mean '${meant}'?`}`);
}

function wrong(message: string, code = 'ERR_INVALID_ARG_VALUE'): CodedTypeError {
  return Object.assign(new TypeError(message), { code });
}

/** Formats any value for a message, at most about 200 characters of a string. */
function describe(value: unknown): string {
  return inspect(value, { depth: 0, customInspect: false, maxStringLength: 200, breakLength: Infinity });
}

/** The largest delay of `setTimeout` (ms): about 24.8 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export {
  abortSignal,
  boolean,
  bytes,
  callback,
  cText,
  describe,
  integer,
  invalid,
  isRecord,
  milliseconds,
  object,
  oneOf,
  path,
  timerMilliseconds,
  wrong,
};
