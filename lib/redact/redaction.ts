// The option `redact`: which values are replaced in what a command writes, and in texts about it.

import type * as Native from '../../native.js';
import { failure, NativeRedactor, secretValues } from '../addon/native.ts';
import { answered } from '../addon/native-error.ts';
import { integer, invalid, isRecord, object, wrong } from '../options/checks.ts';
import type { Row } from '../options/option-table.ts';
import { checkRows, namesOf } from '../options/option-table.ts';
import type { Variable } from '../options/surroundings/environment/environment.ts';
import { environmentNow } from '../options/surroundings/environment/process-environment.ts';

/** The addon's redactor. */
export type Redactor = Native.NativeRedactor;

/** The values of credentials that are known, by their names. */
export interface KnownSecrets {
  /** The values that the caller gave. */
  given: [name: string, value: string][];
  /** The values that functions gave. Their number is bounded where they are kept. */
  fetched: [name: string, value: string][];
}

/** The checked option. */
export interface RedactChoice {
  values?: [name: string, value: string][];
  /** The names of variables, `undefined` for those that look secret; absent or `false` for none. */
  environment?: false | { names: string[] | undefined };
  rules?: ('tokens' | Native.RuleSpec)[];
}

const REDACT: readonly Row<RedactChoice>[] = [
  { name: 'values', field: 'values', check: values },
  { name: 'environment', field: 'environment', check: environment },
  { name: 'rules', field: 'rules', check: rules },
];
const RULE = ['name', 'literal', 'pattern', 'max'] as const;

/** The bounds of the values of one redactor, and of a rule (bytes). */
const MIN_VALUE = 6;
const MAX_VALUE = 8192;
const MAX_VALUES = 256;
const MAX_TOTAL = 64 * 1024;
const MAX_RULES = 64;
const MIN_LITERAL = 4;
const MAX_LITERAL = 256;
const MAX_MATCH = 4096;

/** The names in marks. */
const NAME = /^[\w.-]{1,64}$/;

/** Checks the option `redact`. */
function redactChoice(name: string, value: unknown): RedactChoice {
  return checkRows(name, object(name, value, namesOf(REDACT)), REDACT, undefined);
}

/** The last redactor, and what it was made of: a cache, since most agents have one for all commands. */
let last: { key: string; redactor: Redactor } | undefined;

/**
 * Returns the redactor of a choice, of variables that the caller gives a command besides those of
 * `process.env`, and of its credentials; `undefined` if there is nothing to replace.
 */
function redactorOf(
  choice: RedactChoice = {},
  own: readonly Variable[] = [],
  credentials: KnownSecrets = { given: [], fetched: [] },
): Redactor | undefined {
  // Without the addon nothing runs, and a test's double has what was redacted before.
  if (failure !== null) return undefined;
  const { values = [], environment = false, rules = [] } = choice;
  const found = environment === false ? [] : secretsOf(own, environment.names);
  const bounded = [...values, ...credentials.given, ...found];
  const all = [...bounded, ...credentials.fetched];
  if (all.length === 0 && rules.length === 0) return undefined;
  const key = JSON.stringify([all, rules]);
  if (last?.key !== key) {
    // Later values of functions must not make a command fail.
    refuseTooMany(bounded);
    last = { key, redactor: compiled(all, rules) };
  }
  return last.redactor;
}

/** Returns the redactor of these credentials alone. */
function redactorOfSecrets({ given, fetched }: KnownSecrets): Redactor | undefined {
  return failure === null ? compiled([...given, ...fetched], []) : undefined;
}

function compiled(values: readonly [string, string][], rules: NonNullable<RedactChoice['rules']>): Redactor {
  const spec = {
    names: values.map(([name]) => name),
    values: values.map(([, value]) => value),
    rules: rules.filter((rule) => rule !== 'tokens'),
    hasTokens: rules.includes('tokens'),
  };
  return answered(NativeRedactor.create(spec));
}

/** The last environment that was searched, for which variables, and the secrets in it: a cache. */
let searched: { environment: string; names: string; secrets: [string, string][] } | undefined;

/** Returns the names and the secret values of variables: those of `process.env`, and the caller's own. */
function secretsOf(own: readonly Variable[], names: string[] | undefined): [string, string][] {
  const given = own.map(([name, value]) => (value === undefined ? '' : `${name}=${value}\0`));
  const environment = environmentNow() + given.join('');
  const key = JSON.stringify(names) ?? '';
  if (searched?.environment !== environment || searched.names !== key) {
    searched = { environment, names: key, secrets: distinct(secretValues(environment, names)) };
  }
  return searched.secrets;
}

/** Returns each secret once, with a name that a mark can have. */
function distinct(secrets: string[][]): [string, string][] {
  const seen = new Set<string>();
  const isNew = (value: string) => !seen.has(value) && seen.add(value);
  return secrets
    .filter(([, value]) => isNew(value))
    .map(([name, value]) => [name.replace(/[^\w.-]/g, '_').slice(0, 64), value]);
}

function refuseTooMany(all: readonly [string, string][]): void {
  const bytes = all.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
  if (all.length <= MAX_VALUES && bytes <= MAX_TOTAL) return;
  const bounds = `at most ${MAX_VALUES} values of ${MAX_TOTAL} bytes together`;
  throw wrong(`Invalid option 'options.redact': expected ${bounds}, got ${all.length} of ${bytes} bytes`);
}

function values(name: string, given: unknown): [string, string][] {
  if (!isRecord(given)) throw invalid(name, 'an object of strings', given);
  return Object.entries(given).map(([key, value]) => {
    if (!NAME.test(key)) throw invalid(name, "names of up to 64 letters, digits, '_', '-' and '.'", key);
    if (typeof value !== 'string') throw wrong(expected(`${name}.${key}`, 'a string', typeof value));
    const bytes = Buffer.byteLength(value);
    if (bytes < MIN_VALUE || bytes > MAX_VALUE) {
      throw wrong(expected(`${name}.${key}`, `${MIN_VALUE} to ${MAX_VALUE} bytes`, `${bytes}`));
    }
    return [key, value];
  });
}

/** Returns the message for a wrong value, without the value: it may be a secret. */
function expected(name: string, meaning: string, got: string): string {
  return `Invalid option '${name}': expected ${meaning}, got ${got}`;
}

function environment(name: string, given: unknown): RedactChoice['environment'] {
  if (given === false) return false;
  if (given === 'secrets') return { names: undefined };
  if (Array.isArray(given) && given.every((each) => typeof each === 'string')) return { names: [...given] };
  throw invalid(name, "'secrets', false or a list of names, in which * stands for any part", given);
}

function rules(name: string, given: unknown): RedactChoice['rules'] {
  if (!Array.isArray(given) || given.length > MAX_RULES) {
    throw invalid(name, `a list of at most ${MAX_RULES} rules`, given);
  }
  return given.map((rule, index) => (rule === 'tokens' ? rule : ownRule(`${name}[${index}]`, rule)));
}

function ownRule(name: string, given: unknown): Native.RuleSpec {
  if (!isRecord(given)) throw invalid(name, "'tokens' or an object", given);
  const rule = object(name, given, RULE);
  const max = integer(`${name}.max`, rule.max, 1, MAX_MATCH, 'bytes');
  if (max === undefined) throw invalid(`${name}.max`, `an integer from 1 to ${MAX_MATCH} (bytes)`, max);
  if (typeof rule.name !== 'string' || !NAME.test(rule.name)) {
    throw invalid(`${name}.name`, "up to 64 letters, digits, '_', '-' and '.'", rule.name);
  }
  const { literal, pattern } = rule;
  const length = typeof literal === 'string' ? Buffer.byteLength(literal) : 0;
  if (typeof literal !== 'string' || length < MIN_LITERAL || length > MAX_LITERAL) {
    throw invalid(`${name}.literal`, `a string of ${MIN_LITERAL} to ${MAX_LITERAL} bytes`, literal);
  }
  if (typeof pattern !== 'string') throw invalid(`${name}.pattern`, 'a pattern as a string', pattern);
  // The addon names the option without that of all options.
  return { option: name.replace(/^options\./, ''), name: rule.name, literal, pattern, max };
}

export { redactChoice, redactorOf, redactorOfSecrets };
