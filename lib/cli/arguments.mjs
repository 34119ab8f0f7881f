import { parseArgs } from 'node:util';
import { hintFor } from '../options/foreign-options.ts';
import { nearestName } from '../support/nearest-name.ts';

/** An invalid command line. The message names the option and the expected value. */
class UsageError extends Error {
  /** The subcommand whose help the message suggests. */
  command;

  constructor(message, command) {
    super(message);
    this.command = command;
  }
}

/**
 * Parses the options of a command.
 *
 * @param known by option, its {@link parseArgs} configuration and optionally `read`, which converts its text
 * @returns the values by option name in camelCase, and the positional words
 * @throws UsageError
 */
function readOptions(command, words, known) {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { type = 'string', multiple = false, short }]) => [
      name,
      { type, multiple, ...(short && { short }) },
    ]),
  );
  const { values, positionals } = parse(command, words, options);
  const read = Object.entries(values).map(([name, value]) => [
    camelCase(name),
    readValue(command, name, known[name], value),
  ]);
  return { values: Object.fromEntries(read), words: positionals };
}

function parse(command, args, options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!/^ERR_PARSE_ARGS/.test(error.code)) throw error;
    throw new UsageError(messageOf(error, options), command);
  }
}

/** Shortens Node's message, which suggests `--` before words that look like options. */
function messageOf(error, options) {
  const [, name] = /'(--?[^' =]+)/.exec(error.message) ?? [];
  if (/UNKNOWN_OPTION$/.test(error.code)) {
    return `unknown option '${name}'${hintOf(name, Object.keys(options))}`;
  }
  if (/is ambiguous/.test(error.message))
    return `${name} needs a value; one that begins with '-' is written ${name}=-…`;
  if (/argument missing/.test(error.message)) return `${name} needs a value`;
  return error.message.replace(/\.? ?(To specify|Did you).*$/s, '');
}

function hintOf(name, known) {
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
function withFlags(command, act) {
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
function flagError(command, error) {
  if (error.code !== 'ERR_INVALID_ARG_VALUE' && error.code !== 'ERR_FEATURE_UNAVAILABLE') return error;
  const message = error.message
    .replace(/'options\.policy\.(allow|ask|deny)\[\d+\]'/, '--$1')
    .replace(/'options\.limits\.(\w+)'/, '--limit-$1')
    .replace(/'options\.sandbox\.network\.allow'/, '--allow-host')
    .replace(/'options\.output\.max(Bytes|Chars)'/, '--max-output')
    .replace(/'options\.yieldMs'/, '--yield')
    .replace(/'options\.jobs\.maxRunning'/, '--jobs')
    .replace(/'options\.timeout\.max'/, '--max-timeout')
    .replace(
      /'options\.(\w+)[\w.]*'/,
      (_, name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    );
  return new UsageError(message, command);
}

function readValue(command, name, { read, multiple }, value) {
  if (read === undefined) return value;
  try {
    return multiple ? value.map((each) => read(each)) : read(value);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const given = multiple ? value.join(' ') : value;
    throw new UsageError(`invalid value '${given}' for --${name}: expected ${error.message}`, command);
  }
}

function camelCase(name) {
  return name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}

const UNITS_OF_TIME = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a duration such as `500ms`, `45s`, `10m` or `1h`, or `0`. Returns milliseconds. */
function duration(text) {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  if (number === undefined && text !== '0')
    throw new UsageError('a duration such as 500ms, 45s, 10m or 1h, or 0 for no limit');
  return number === undefined ? 0 : Number(number) * UNITS_OF_TIME[unit];
}

const UNITS_OF_SIZE = { '': 1, K: 1_024, M: 1_024 ** 2, G: 1_024 ** 3 };

/** Parses a size such as `30000`, `64K`, `512M` or `2G` (powers of 1024). Returns bytes. */
function size(text) {
  const [, number, unit] = /^(\d+)([KMG]?)$/.exec(text) ?? [];
  if (number === undefined || Number(number) === 0)
    throw new UsageError('a size in bytes above 0, such as 65536, 64K, 512M or 2G');
  return Number(number) * UNITS_OF_SIZE[unit];
}

function count(text) {
  if (!/^[1-9]\d*$/.test(text)) throw new UsageError('a whole number above 0');
  return Number(text);
}

/** Returns a function that accepts the `choices`, which it also has as a property. */
function oneOf(...choices) {
  const read = (text) => {
    if (!choices.includes(text)) throw new UsageError(`one of ${choices.join(', ')}`);
    return text;
  };
  return Object.assign(read, { choices });
}

/** Parses `KEY=VALUE`, or `KEY` for its value in the environment of this process. */
function variable(text) {
  const [, name, value] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError('KEY or KEY=VALUE');
  return [name, value ?? process.env[name]];
}

/** Options that `run()` and `createTools()` share. */
const COMMAND_OPTIONS = {
  root: {},
  cwd: {},
  env: { multiple: true, read: variable },
  'no-inherit-env': { type: 'boolean' },
  shell: {},
  sandbox: { choices: ['read-only', 'workspace-write', 'isolated'] },
  network: { read: oneOf('off', 'loopback', 'on') },
  'allow-host': { multiple: true },
  'on-unavailable': { read: oneOf('fail', 'weaker') },
  'limit-memory': { read: size },
  'limit-cpu': { read: duration },
  'limit-processes': { read: count },
};

/** @throws UsageError */
function commandOptionsOf(command, values) {
  const { root, cwd, env, noInheritEnv, shell, limitMemory, limitCpu, limitProcesses } = values;
  const limits = defined({ memory: limitMemory, cpu: limitCpu, processes: limitProcesses });
  return defined({
    root,
    cwd,
    env: env === undefined ? undefined : Object.fromEntries(env),
    extendEnv: noInheritEnv === true ? false : undefined,
    shell,
    sandbox: sandboxOf(command, values),
    limits: Object.keys(limits).length > 0 ? limits : undefined,
  });
}

function sandboxOf(command, { root, sandbox, network, allowHost: allow, onUnavailable, escalate }) {
  if (sandbox === undefined) {
    const given = {
      '--network': network,
      '--allow-host': allow,
      '--on-unavailable': onUnavailable,
      '--escalate': escalate,
    };
    const [named] = Object.keys(defined(given));
    if (named !== undefined) throw new UsageError(`${named} needs --sandbox`, command);
    return undefined;
  }
  if (root === undefined) throw new UsageError('--sandbox needs --root, the directory to work in', command);
  if (network !== undefined && allow !== undefined) {
    throw new UsageError('--network and --allow-host exclude each other', command);
  }
  return defined({
    level: sandbox,
    network: allow === undefined ? network : { allow },
    onUnavailable,
    escalate,
  });
}

function defined(object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

export {
  COMMAND_OPTIONS,
  commandOptionsOf,
  count,
  defined,
  duration,
  flagError,
  oneOf,
  readOptions,
  size,
  UsageError,
  withFlags,
};
