// The option `credentials`: the values of a toolset, a session or a command, and their placeholders.

import { cText, invalid, isRecord, object, wrong } from '../options/checks.ts';
import type { Variable } from '../options/surroundings/environment/environment.ts';
import type { Secret } from './api.ts';
import { placeholderOf } from './placeholder.ts';
import type { Preset } from './presets.ts';
import { presetOf } from './presets.ts';
import type { HostRule } from './rules.ts';
import { CommandScope } from './scope.ts';
import { headersOf, secret, template } from './secret.ts';

/** An entry of the option `credentials`, checked. */
export interface CheckedCredential {
  name: string;
  value: Secret;
  preset: Preset | undefined;
  /** The headers of the caller; `undefined` for those of the preset, or the usual one. */
  header: [string, string][] | undefined;
  env: readonly string[];
  files: [path: string, content: string][];
}

const CREDENTIAL = ['value', 'header', 'env', 'files'] as const;

const MAX_CREDENTIALS = 256;
/** The bound of all values together (bytes). */
const MAX_TOTAL = 64 * 1024;
const MAX_FILE = 64 * 1024;

/** The names in marks and texts. */
const NAME = /^[\w.-]{1,64}$/;
const VARIABLE = /^[A-Za-z_]\w*$/;

/** The number of sets of values whose scopes `run()` keeps. */
const MAX_SHARED = 32;

/**
 * The credentials of one toolset or session, or of equal calls of `run()`. Their placeholders are theirs
 * alone.
 */
class Credentials {
  readonly all: readonly CheckedCredential[];
  readonly #placeholders = new Map<string, string>();
  /** The scopes by their rules: most have one. */
  readonly #scopes = new Map<string, CommandScope>();

  constructor(all: readonly CheckedCredential[]) {
    this.all = all;
    for (const { name, value, preset } of all) {
      this.#placeholders.set(name, placeholderOf(typeof value === 'string' ? value : preset?.example));
    }
  }

  get(name: string): CheckedCredential | undefined {
    return this.all.find((credential) => credential.name === name);
  }

  /** Returns the variables that hold placeholders. */
  variables(): Variable[] {
    return this.all.flatMap(({ name, env }) =>
      env.map((variable): Variable => [variable, this.#placeholders.get(name)]),
    );
  }

  /** Returns the paths below the home, and the contents, of the files that hold placeholders. */
  files(): [path: string, content: string][] {
    return this.all.flatMap(({ name, files }) =>
      files.map(([path, content]): [string, string] => {
        // A function, as a text would have patterns such as `$&`.
        return [path, content.replaceAll('{}', () => this.#placeholders.get(name) ?? '')];
      }),
    );
  }

  /** Returns the scope of commands with these rules. */
  scope(rules: readonly HostRule[]): CommandScope {
    const key = keyOf(rules);
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const scope = new CommandScope(this, rules);
    this.#scopes.set(key, scope);
    return scope;
  }
}

/** Checks the option, or returns what was made of it before. */
function credentialsOf(name: string, given: unknown): Credentials {
  if (given instanceof Credentials) return given;
  return new Credentials(checked(name, given));
}

/** Checks the option, and returns the same credentials for equal options, as for each call of `run()`. */
function sharedCredentials(name: string, given: unknown): Credentials {
  if (given instanceof Credentials) return given;
  const all = checked(name, given);
  const key = keyOf(all);
  const found = shared.get(key) ?? new Credentials(all);
  // Moves the latest set to the end: the first one is removed.
  shared.delete(key);
  shared.set(key, found);
  const [oldest] = shared.keys();
  if (shared.size > MAX_SHARED && oldest !== undefined) shared.delete(oldest);
  return found;
}

const shared = new Map<string, Credentials>();

/** The numbers of functions, by which options with the same function are equal. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/** Returns a text that is equal for equal data. */
function keyOf(data: unknown): string {
  return JSON.stringify(data, (_, value: unknown) => {
    if (typeof value !== 'function') return value;
    const number = numbers.get(value) ?? ++lastNumber;
    numbers.set(value, number);
    return { function: number };
  });
}

function checked(name: string, given: unknown): CheckedCredential[] {
  if (!isRecord(given)) throw wrong(`Invalid option '${name}': expected an object, got ${typeof given}`);
  const all = Object.entries(given).map(([key, value]) => {
    if (!NAME.test(key)) throw invalid(name, "names of up to 64 letters, digits, '_', '-' and '.'", key);
    return credential(key, `${name}.${key}`, value);
  });
  const sizes = all.map(({ value }) => (typeof value === 'string' ? Buffer.byteLength(value) : 0));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (all.length > MAX_CREDENTIALS || bytes > MAX_TOTAL) {
    const bounds = `at most ${MAX_CREDENTIALS} values of ${MAX_TOTAL} bytes together`;
    throw wrong(`Invalid option '${name}': expected ${bounds}, got ${all.length} of ${bytes} bytes`);
  }
  return all;
}

function credential(key: string, name: string, given: unknown): CheckedCredential {
  const preset = presetOf(key);
  if (!isRecord(given)) {
    const value = secret(name, given);
    return { name: key, value, preset, header: undefined, env: preset?.env ?? [], files: [] };
  }
  const { value, header, env, files } = object(name, given, CREDENTIAL);
  return {
    name: key,
    value: secret(`${name}.value`, value),
    preset,
    header: header === undefined ? undefined : headersOf(`${name}.header`, header, template),
    env: env === undefined ? (preset?.env ?? []) : variables(`${name}.env`, env),
    files: files === undefined ? [] : filesOf(`${name}.files`, files),
  };
}

function variables(name: string, given: unknown): string[] {
  const isName = (each: unknown): each is string => typeof each === 'string' && VARIABLE.test(each);
  if (!Array.isArray(given) || !given.every(isName))
    throw invalid(name, 'a list of names of variables', given);
  return [...given];
}

/** Checks the files, and returns their paths relative to the home. */
function filesOf(name: string, given: unknown): [string, string][] {
  if (!isRecord(given)) throw invalid(name, 'an object of paths and contents', given);
  return Object.entries(given).map(([path, content]) => {
    const parts = path.replace(/^~\//, '').split('/');
    const isUsual = (part: string) => !['', '.', '..'].includes(part) && !part.includes('\0');
    if (!path.startsWith('~/') || !parts.every(isUsual)) {
      throw invalid(name, "paths of the home such as '~/.npmrc'", path);
    }
    const text = cText(`${name}.${path}`, content);
    if (Buffer.byteLength(text) > MAX_FILE) {
      throw wrong(`Invalid option '${name}.${path}': expected at most ${MAX_FILE} bytes`);
    }
    return [parts.join('/'), text];
  });
}

export { Credentials, credentialsOf, sharedCredentials };
