import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { CommandOptions } from '../options/command/api.ts';
import { hintFor } from '../options/foreign-options.ts';
import type { LimitOptions, RedactOptions } from '../options/surroundings/api.ts';
import type { NetworkAllow, SandboxLevel, SandboxOptions } from '../options/surroundings/sandbox-api.ts';
import { nearestName } from '../support/nearest-name.ts';
import { allowedHosts, credentialsOf } from './options/credentials.ts';
import { UsageError } from './options/usage-error.ts';

/** How an option is read. */
export interface OptionHow {
  type?: 'string' | 'boolean';
  multiple?: boolean;
  short?: string;
  /** Converts the text of the option. Throws a {@link UsageError} with the expected value. */
  read?: ((text: string) => unknown) & { choices?: readonly string[] };
  choices?: readonly string[];
}

type KebabCase<Text extends string> = Text extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `-${Lowercase<Letter>}`}${KebabCase<Rest>}`
  : Text;

/** How the options of a command are read, by their names on the command line. */
export type OptionTable<Values = Record<string, unknown>> = {
  readonly [Name in keyof Values & string as KebabCase<Name>]-?: OptionHow;
};

/** The values of the options that `run()` and `createTools()` share. */
export interface CommandValues {
  root?: string;
  cwd?: string;
  env?: Variable[];
  noInheritEnv?: boolean;
  shell?: string;
  redactEnv?: string[];
  sandbox?: string;
  network?: string;
  allowHost?: string[];
  credential?: string[];
  socket?: string[];
  onUnavailable?: string;
  limitMemory?: number;
  limitCpu?: number;
  limitProcesses?: number;
  treeMemory?: number;
  treeProcesses?: number;
  treeCpus?: number;
}

/** The options of the package for them. */
export type SharedOptions = Pick<
  CommandOptions,
  'root' | 'cwd' | 'env' | 'extendEnv' | 'redact' | 'sandbox' | 'credentials' | 'limits'
> & { shell?: string };

type Variable = [name: string, value: string | undefined];
type ParseOptions = NonNullable<ParseArgsConfig['options']>;

/**
 * Parses the options of a command.
 *
 * @param known by option, its {@link parseArgs} configuration and optionally `read`, which converts its text
 * @returns the values by option name in camelCase, and the positional words
 * @throws UsageError
 */
function readOptions<Values>(
  command: string,
  words: string[],
  known: OptionTable<Values>,
): { values: Values; words: string[] } {
  const table: Record<string, OptionHow> = known;
  const options: ParseOptions = Object.fromEntries(
    Object.entries(table).map(([name, { type = 'string', multiple = false, short }]) => [
      name,
      { type, multiple, ...(short && { short }) },
    ]),
  );
  const { values, positionals } = parse(command, words, options);
  const read = Object.entries(values).map(([name, value]) => [
    camelCase(name),
    readValue(command, name, table[name], value),
  ]);
  return { values: Object.fromEntries(read) as Values, words: positionals };
}

function parse(
  command: string,
  args: string[],
  options: ParseOptions,
): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!/^ERR_PARSE_ARGS/.test(String(code))) throw error;
    throw new UsageError(messageOf(String(code), message, options), command);
  }
}

/** Shortens Node's message, which suggests `--` before words that look like options. */
function messageOf(code: string, message: string, options: ParseOptions): string {
  const [, name = ''] = /'(--?[^' =]+)/.exec(message) ?? [];
  if (/UNKNOWN_OPTION$/.test(code)) {
    return `unknown option '${name}'${hintOf(name, Object.keys(options))}`;
  }
  if (/is ambiguous/.test(message))
    return `${name} needs a value; one that begins with '-' is written ${name}=-…`;
  if (/argument missing/.test(message)) return `${name} needs a value`;
  return message.replace(/\.? ?(To specify|Did you).*$/s, '');
}

function hintOf(name: string, known: string[]): string {
  const meant = nearestName(name, known);
  if (meant !== undefined) return `; did you mean '--${meant}'?`;
  const replacement = hintFor(camelCase(name.replace(/^-+/, '')), known);
  return replacement === undefined ? '' : `; ${replacement.replaceAll(/'(\w+)/g, "'--$1")}`;
}

/**
 * Returns what `act` returns. An error about an option of the package becomes one about the option of the
 * command line.
 *
 * @throws UsageError
 */
function withFlags<Answer>(command: string, act: () => Answer): Answer {
  try {
    return act();
  } catch (error) {
    throw flagError(command, error);
  }
}

/**
 * Converts an error about an option of the package to one about the option of the command line; leaves other
 * errors.
 */
function flagError(command: string, error: unknown): unknown {
  const { code, message: text } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_INVALID_ARG_VALUE' && code !== 'ERR_FEATURE_UNAVAILABLE') return error;
  const message = text
    .replace(/'options\.policy\.(allow|ask|deny)\[\d+\]'/, '--$1')
    .replace(/'options\.limits\.tree(\.\w+)?'/, (_, name = '') => `--tree${name.replace('.', '-')}`)
    .replace(/'options\.limits\.(\w+)'/, '--limit-$1')
    .replace(/'options\.redact(?:\.values\.([\w.-]+))?'/, (_, name = '') => `--redact-env ${name}`.trimEnd())
    .replace(/'options\.sandbox\.network\.allow(\[\d+\])?(\.\w+)?'/, '--allow-host')
    .replace(/'options\.credentials(?:\.([^']+))?'/, (_, name = '') => `--credential ${name}`.trimEnd())
    .replace(/'options\.sandbox\.sockets'/, '--socket')
    .replace(/'options\.output\.(?:view\.)?max(Bytes|Chars)'/, '--max-output')
    .replace(/'options\.yieldMs'/, '--yield')
    .replace(/'options\.onPrompt'/, '--ask-prompts')
    .replace(/'options\.jobs\.maxRunning'/, '--jobs')
    .replace(/'options\.timeout\.max'/, '--max-timeout')
    .replace(
      /'options\.(\w+)[\w.]*'/,
      (_, name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    );
  return new UsageError(message, command);
}

function readValue(command: string, name: string, { read, multiple }: OptionHow, value: unknown): unknown {
  if (read === undefined) return value;
  try {
    return multiple ? (value as string[]).map((each) => read(each)) : read(value as string);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const given = multiple ? (value as string[]).join(' ') : value;
    throw new UsageError(`invalid value '${given}' for --${name}: expected ${error.message}`, command);
  }
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const UNITS_OF_TIME: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a duration such as `500ms`, `45s`, `10m` or `1h`, or `0`. Returns milliseconds. */
function duration(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  if (number === undefined && text !== '0')
    throw new UsageError('a duration such as 500ms, 45s, 10m or 1h, or 0 for no limit');
  return number === undefined ? 0 : Number(number) * UNITS_OF_TIME[unit];
}

const UNITS_OF_SIZE: Record<string, number> = { '': 1, K: 1_024, M: 1_024 ** 2, G: 1_024 ** 3 };

/** Parses a size such as `30000`, `64K`, `512M` or `2G` (powers of 1024). Returns bytes. */
function size(text: string): number {
  const [, number, unit] = /^(\d+)([KMG]?)$/.exec(text) ?? [];
  if (number === undefined || Number(number) === 0)
    throw new UsageError('a size in bytes above 0, such as 65536, 64K, 512M or 2G');
  return Number(number) * UNITS_OF_SIZE[unit];
}

function count(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new UsageError('a whole number above 0');
  return Number(text);
}

function offset(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError('a number of bytes');
  return Number(text);
}

/** Returns a function that accepts the `choices`, which it also has as a property. */
function choice(...choices: string[]): ((text: string) => string) & { choices: string[] } {
  const read = (text: string) => {
    if (!choices.includes(text)) throw new UsageError(`one of ${choices.join(', ')}`);
    return text;
  };
  return Object.assign(read, { choices });
}

/** Parses a number of processors, such as 1.5. */
function processors(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) === 0)
    throw new UsageError('a number of processors such as 1.5');
  return Number(text);
}

/** Parses `KEY=VALUE`, or `KEY` for its value in the environment of this process. */
function variable(text: string): Variable {
  const [, name, value] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError('KEY or KEY=VALUE');
  return [name, value ?? process.env[name]];
}

/** Options that `run()` and `createTools()` share. */
const COMMAND_OPTIONS: OptionTable<CommandValues> = {
  root: {},
  cwd: {},
  env: { multiple: true, read: variable },
  'no-inherit-env': { type: 'boolean' },
  shell: {},
  'redact-env': { multiple: true },
  sandbox: { choices: ['read-only', 'workspace-write', 'isolated'] },
  network: { read: choice('off', 'loopback', 'on') },
  'allow-host': { multiple: true },
  credential: { multiple: true },
  socket: { multiple: true },
  'on-unavailable': { read: choice('fail', 'weaker') },
  'limit-memory': { read: size },
  'limit-cpu': { read: duration },
  'limit-processes': { read: count },
  'tree-memory': { read: size },
  'tree-processes': { read: count },
  'tree-cpus': { read: processors },
};

/** @throws UsageError */
function commandOptionsOf(command: string, values: CommandValues & { escalate?: string }): SharedOptions {
  const { root, cwd, env, noInheritEnv, shell, limitMemory, limitCpu, limitProcesses } = values;
  const { treeMemory, treeProcesses, treeCpus } = values;
  const tree = defined({ memory: treeMemory, processes: treeProcesses, cpus: treeCpus });
  const limits: LimitOptions = defined({
    memory: limitMemory,
    cpu: limitCpu,
    processes: limitProcesses,
    tree: Object.keys(tree).length > 0 ? tree : undefined,
  });
  return defined({
    root,
    cwd,
    env: env === undefined ? undefined : Object.fromEntries(env),
    extendEnv: noInheritEnv === true ? false : undefined,
    shell,
    redact: redactOf(command, values),
    sandbox: sandboxOf(command, values),
    credentials: credentialsOf(command, values.credential),
    limits: Object.keys(limits).length > 0 ? limits : undefined,
  });
}

/**
 * Returns the option `redact` by the words of `--redact-env`: `secrets`, `none`, or the names of variables
 * besides those that look secret.
 */
function redactOf(command: string, { redactEnv: words, env = [] }: CommandValues): RedactOptions | undefined {
  if (words === undefined) return undefined;
  if (words.includes('none')) {
    if (words.length > 1) throw new UsageError('--redact-env none excludes others', command);
    return { environment: false };
  }
  const given = new Map(env);
  const values: Record<string, string> = {};
  for (const name of words.filter((word) => word !== 'secrets')) {
    const value = given.get(name) ?? process.env[name];
    if (value === undefined) throw new UsageError(`--redact-env: the variable ${name} is not set`, command);
    values[name] = value;
  }
  return { environment: 'secrets', values };
}

function sandboxOf(
  command: string,
  {
    root,
    sandbox,
    network,
    allowHost: allow,
    credential,
    socket: sockets,
    onUnavailable,
    escalate,
    askConnect,
  }: CommandValues & { escalate?: string; askConnect?: boolean },
): SandboxOptions | undefined {
  if (sandbox === undefined) {
    const given = {
      '--network': network,
      '--allow-host': allow,
      '--credential': credential,
      '--socket': sockets,
      '--on-unavailable': onUnavailable,
      '--escalate': escalate,
      '--ask-connect': askConnect,
    };
    const [named] = Object.keys(defined(given));
    if (named !== undefined) throw new UsageError(`${named} needs --sandbox`, command);
    return undefined;
  }
  if (root === undefined) throw new UsageError('--sandbox needs --root, the directory to work in', command);
  if (network !== undefined && allow !== undefined) {
    throw new UsageError('--network and --allow-host exclude each other', command);
  }
  if (network !== undefined && askConnect) {
    throw new UsageError('--network and --ask-connect exclude each other', command);
  }
  if (network !== undefined && credential !== undefined) {
    throw new UsageError('--network and --credential exclude each other', command);
  }
  const hasHosts = allow !== undefined || credential !== undefined || askConnect;
  const hosts = hasHosts ? { allow: allowedHosts(allow, credential) } : undefined;
  // The package checks the words.
  return defined({
    level: sandbox as SandboxLevel,
    network: hosts === undefined ? network : { ...hosts, ...(askConnect && { onConnect }) },
    sockets,
    onUnavailable,
    escalate,
  }) as SandboxOptions;
}

/** Asks the client of `agent-bash mcp`, whose module takes long to load. */
const onConnect: NetworkAllow['onConnect'] = async (question) =>
  (await import('agent-bash/mcp')).elicitConnect(question);

function defined<Values extends object>(object: Values): Values {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Values;
}

export {
  COMMAND_OPTIONS,
  choice,
  commandOptionsOf,
  count,
  defined,
  duration,
  flagError,
  offset,
  readOptions,
  size,
  UsageError,
  withFlags,
};
