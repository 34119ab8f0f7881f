// A call as a cassette stores and compares it: the command, and the options that matter to what it does.

import { Buffer } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import type { BashSpec, GivenCall, MoreSpec, RunSpec } from '../../addon/addon-types.ts';
import { canonicalCommand, joinWords, question } from '../../addon/native.ts';
import { CHILD } from '../../addon/seam.ts';
import type { Names } from '../names/names.ts';

/** A call, in the names of its cassette. Absent fields are defaults. */
export interface CallFields {
  /** A command line, or a program and its arguments. */
  run: string | string[];
  cwd: string;
  [option: string]: unknown;
}

/** A call before it is stored. */
export interface ActualCall {
  command: string;
  argv: string[] | undefined;
  cwd: string;
  env: Record<string, string>;
  input: string | Uint8Array;
  shell: string[] | undefined;
  options: Record<string, unknown>;
}

/** Returns the call of a spec of `run()`, a table or a session. */
export function callOf(spec: RunSpec & { given?: GivenCall | undefined }): ActualCall {
  const { given, surroundings, more } = spec;
  const options = given?.options ?? {};
  const argv = Array.isArray(given?.command) ? (given.command as string[]) : undefined;
  return {
    command: argv === undefined ? String(given?.command ?? spec.command) : joinWords(argv),
    argv,
    cwd: surroundings.cwd,
    env: givenEnvironment(options.env, surroundings.files),
    input: inputOf(more),
    shell: surroundings.shell,
    options: comparedOptions(options),
  };
}

/** Returns the call of a `BashJob` or `bash()`. */
export function callOfBash(call: BashSpec): ActualCall {
  const { command, cmd, surroundings, safeMode, pty } = call;
  const options: Record<string, unknown> = {};
  if (safeMode) options.safeMode = true;
  if (pty !== undefined) options.pty = { cols: pty.cols, rows: pty.rows };
  return {
    command: (command?.trim() ? command : cmd) ?? '',
    argv: undefined,
    cwd: surroundings?.cwd ?? '',
    env: {},
    input: '',
    shell: undefined,
    options,
  };
}

/** Returns a call in the names of a cassette. */
export function fieldsOf(call: ActualCall, names: Names): CallFields {
  const { command, argv, cwd, env, input, options } = call;
  const fields: CallFields = {
    run: argv === undefined ? names.stored(command) : argv.map((word) => names.stored(word)),
    cwd: names.stored(cwd),
  };
  const variables = Object.entries(env);
  if (variables.length > 0) {
    fields.env = Object.fromEntries(variables.map(([name, value]) => [name, names.stored(value)]));
  }
  if (input.length > 0) {
    fields.input =
      typeof input === 'string' ? names.stored(input) : { base64: Buffer.from(input).toString('base64') };
  }
  for (const [name, value] of Object.entries(options)) fields[name] = storedDeep(value, names);
  return fields;
}

/** Returns the fields in which two calls differ. */
export function differences(
  stored: CallFields,
  actual: CallFields,
  names: Names,
  shell?: string[],
): string[] {
  const all = new Set([...Object.keys(stored), ...Object.keys(actual)]);
  return [...all].filter((name) => {
    if (name === 'run') return !isSameCommand(stored.run, actual.run, names, shell);
    const [one, other] = [stored[name], actual[name]].map((value) => JSON.stringify(value) ?? '');
    if (isDeepStrictEqual(sorted(stored[name]), sorted(actual[name]))) return false;
    return names.shape(one) !== names.shape(other);
  });
}

function isSameCommand(
  stored: string | string[],
  actual: string | string[],
  names: Names,
  shell: string[] | undefined,
): boolean {
  if (typeof stored !== 'string' || typeof actual !== 'string') {
    if (typeof stored === typeof actual && Array.isArray(stored) && Array.isArray(actual)) {
      return names.shape(stored.join('\0')) === names.shape(actual.join('\0'));
    }
    return false;
  }
  const [one, other] = [names.shape(stored), names.shape(actual)];
  return one === other || isSameLine(one, other, shell);
}

/** Returns whether a shell reads two lines in the same way. */
const isSameLine = question('isSameLine', (one: string, other: string, shell: string[] | undefined) => {
  const canonical = canonicalCommand(one, shell);
  return canonical !== null && canonical === canonicalCommand(other, shell);
});

/** Returns the given variables, but those of agent-bash's own files. */
function givenEnvironment(env: unknown, files: string[] | undefined): Record<string, string> {
  const isOwn = (value: unknown) =>
    files?.some((directory) => String(value).startsWith(`${directory}/`)) === true;
  return Object.fromEntries(
    Object.entries((env ?? {}) as Record<string, string>).filter(
      ([name, value]) => value !== undefined && name !== CHILD && !isOwn(value),
    ),
  );
}

function inputOf(more: MoreSpec | undefined): string | Uint8Array {
  const input = more?.input;
  if (input === undefined) return '';
  const text = Buffer.from(input).toString();
  return Buffer.from(text).equals(Buffer.from(input)) ? text : input;
}

/** The options that change what a command does. `output` has two more. */
const COMPARED = ['shell', 'pty', 'target', 'sandbox', 'encoding', 'stdin', 'nonInteractive', 'extendEnv'];

function comparedOptions(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const compared: Record<string, unknown> = {};
  for (const name of COMPARED) {
    const value = options[name];
    if (value === undefined || (value === false && name !== 'shell' && name !== 'extendEnv')) continue;
    compared[name] = plain(name === 'target' ? targetOf(value) : value);
  }
  const { merge, stripAnsi } = (options.output ?? {}) as { merge?: boolean; stripAnsi?: boolean };
  if (merge) compared.merge = true;
  if (stripAnsi) compared.stripAnsi = true;
  return compared;
}

/** Returns the options of a target. */
function targetOf(value: unknown): unknown {
  return (value as { options?: unknown }).options ?? value;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

function storedDeep(value: unknown, names: Names): unknown {
  return JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'string' ? names.stored(each) : each,
  );
}

/** Returns a value whose objects have their keys in one order. */
function sorted(value: unknown): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(JSON.stringify(value), (_, each) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}
