import { theHost } from '../addon/host.mjs';
import { checkAuthorization, withPolicyShell } from '../policy/authorize.mjs';
import { withoutDirectory } from '../result/result.mjs';
import { absolutePath } from './absolute-path.mjs';
import {
  abortSignal,
  boolean,
  bytes,
  integer,
  invalid,
  isRecord,
  milliseconds,
  object,
  oneOf,
  path,
} from './checks.mjs';
import { commandLine } from './command-line.mjs';
import { commandEnvironment } from './environment.mjs';
import { outputSpec } from './output/output-options.mjs';
import { ptySpec } from './pty-options.mjs';
import { isSignal } from './signals.mjs';

/** The options of both `run()` and `Jobs.start()`. */
const COMMON = [
  'cwd',
  'root',
  'env',
  'extendEnv',
  'nonInteractive',
  'shell',
  'input',
  'pty',
  'onWaiting',
  'timeout',
  'idleTimeout',
  'signal',
  'killSignal',
  'forceKillAfterDelay',
  'background',
  'drain',
  'output',
  'limits',
  'warm',
  'policy',
  'approve',
  'decision',
];
const PREWARM = ['cwd', 'root', 'env', 'extendEnv', 'nonInteractive', 'shell', 'limits', 'merge', 'count'];

/** The largest `count` of `prewarm()`: the addon's limit. */
const MOST_SHELLS = 16;
const RUN = [...COMMON, 'onTimeout', 'backgroundTimeout', 'reject', 'jobs', 'pipeStatus'];
const START = [...COMMON, 'stdin'];

/** A command with only these options crosses to the addon without the object of {@link more}. */
const USUAL = new Set(['cwd', 'env', 'extendEnv', 'nonInteractive', 'timeout', 'signal', 'reject', 'jobs']);

/**
 * Checks the arguments of `run()`, and returns the addon's part (`spec`) and the rest. `isTable` recognizes a `Jobs`.
 */
function checkRun(command, options = {}, isTable) {
  object('options', options, RUN);
  const { onTimeout, backgroundTimeout, reject, jobs, pipeStatus } = options;
  if (jobs !== undefined && !isTable(jobs)) throw invalid('options.jobs', 'a table of Jobs', jobs);
  const movesToBackground = oneOf('options.onTimeout', onTimeout, ['kill', 'background']) === 'background';
  const plan = checkCommon(command, options, ['keep', 'kill', 'adopt'], movesToBackground);
  plan.table = jobs;
  plan.isStrict = boolean('options.reject', reject) ?? false;
  plan.mayMove = false;
  plan.asksPipeStatus = boolean('options.pipeStatus', pipeStatus) ?? false;
  const time = limit('options.backgroundTimeout', backgroundTimeout);
  const { more } = plan.spec;
  if (more !== undefined) {
    more.onWaiting = oneOf('options.onWaiting', options.onWaiting, ['eof', 'kill']);
    more.movesToBackground = movesToBackground;
    more.backgroundTimeout = time;
    plan.mayMove = movesToBackground || more.leftovers === 'adopt';
  }
  return plan;
}

/** Checks the arguments of `Jobs.start()`. */
function checkStart(command, options = {}) {
  object('options', options, START);
  const { stdin, onWaiting } = options;
  const openInput = oneOf('options.stdin', stdin, ['empty', 'pipe']) === 'pipe';
  const plan = checkCommon(command, options, ['keep', 'kill'], false);
  const { more } = plan.spec;
  if (more !== undefined) {
    more.onWaiting = oneOf('options.onWaiting', onWaiting, ['event', 'eof', 'kill']);
  }
  if (openInput) {
    if (more.pty !== undefined) {
      throw invalid('options.stdin', "'empty' next to a pty, which write() types into", stdin);
    }
    if (more.input !== undefined) throw invalid('options.stdin', "'empty' next to an input", stdin);
    more.openInput = true;
  }
  return plan;
}

/** Checks the options of `prewarm()`. */
function checkPrewarm(options = {}) {
  object('options', options, PREWARM);
  const { count, merge, ...common } = options;
  // A placeholder: the shells get their commands later.
  const plan = checkCommon(':', { ...common, output: { merge: boolean('options.merge', merge) } }, [], false);
  return { ...plan, count: integer('options.count', count, 1, MOST_SHELLS) ?? 1 };
}

/** Checks the options that all commands have. An absent option stays `undefined`: the addon has the defaults. */
function checkCommon(command, options, leftovers, movesToBackground) {
  const { cwd, root, env, extendEnv, nonInteractive, shell, timeout, signal } = options;
  const authorization = checkAuthorization(options);
  const given = commandLine(command, shell);
  const line = authorization === null ? given : withPolicyShell(given);
  const directories = absolute(path('options.cwd', cwd), path('options.root', root));
  const pty = ptySpec(options.pty);
  if (pty !== undefined) refuseWithTerminal(options);
  const isUsual = line.argv === undefined && Object.keys(options).every((name) => USUAL.has(name));
  const environment = commandEnvironment(env, extendEnv, nonInteractive, pty?.term);
  return {
    text: line.text,
    refusal: directories.refusal,
    signal: abortSignal('options.signal', signal),
    authorization,
    subject: authorization && { line, cwd: directories.cwd, root: directories.root, environment },
    spec: {
      command: line.command,
      cwd: directories.cwd,
      environment,
      timeout: limit('options.timeout', timeout, movesToBackground),
      more: isUsual ? undefined : more(line, directories.root, options, leftovers, pty),
    },
  };
}

/** Checks the options that most commands do not have, and converts them for the addon. */
function more({ argv, split, shell }, root, options, leftovers, pty) {
  const { input, idleTimeout, killSignal, forceKillAfterDelay, background, drain, output, limits, warm } =
    options;
  // The result is one literal with all properties: merging objects takes longer than all the checks.
  return {
    argv,
    split,
    shell,
    root,
    input: input === undefined ? undefined : bytes('options.input', input),
    openInput: pty === undefined ? undefined : true,
    pty,
    onWaiting: undefined,
    idleTimeout: limit('options.idleTimeout', idleTimeout),
    backgroundTimeout: undefined,
    movesToBackground: undefined,
    killSignal: signalNumber(killSignal),
    forceKillAfterDelay: forceKillDelay(forceKillAfterDelay),
    leftovers: oneOf('options.background', background, leftovers),
    drain: drainSpec(drain),
    limits: limitsSpec(limits),
    ring: undefined,
    leaveAtExit: undefined,
    warm: boolean('options.warm', warm),
    // The output is checked last, because the check may choose a spill directory, which only a valid call should do.
    output: outputSpec(output, root),
  };
}

/** Throws for options that contradict a terminal, which is the standard input, and both output streams in one. */
function refuseWithTerminal({ input, output, warm }) {
  if (input !== undefined) {
    throw invalid('options.input', 'none next to a pty, which write() types into', input);
  }
  if (output?.merge) throw invalid('options.output.merge', 'none next to a pty, which is one stream', true);
  if (warm) throw invalid('options.warm', 'none next to a pty', warm);
}

/** Returns both directories as absolute paths, or a refusal if Node.js's own working directory is gone. */
function absolute(cwd = '', root = undefined) {
  try {
    const top = root === undefined ? undefined : absolutePath(root);
    return { refusal: null, root: top, cwd: absolutePath(cwd, top) };
  } catch (error) {
    return { refusal: withoutDirectory(error), root, cwd };
  }
}

/** Checks a time limit (ms). 0 is no limit, unless `isZeroMeant`. */
function limit(name, value, isZeroMeant = false) {
  const time = milliseconds(name, value);
  return time === 0 && !isZeroMeant ? undefined : time;
}

/** Checks the delay before SIGKILL (ms). For the addon, infinity means never. */
function forceKillDelay(value) {
  if (value === false) return Infinity;
  return milliseconds('options.forceKillAfterDelay', value, 'a number of milliseconds or false');
}

function signalNumber(value) {
  if (value === undefined) return undefined;
  const number = isSignal(value) ? theHost().signalNumber(value) : null;
  if (!(number > 0)) throw invalid('options.killSignal', "a signal such as 'SIGTERM' or its number", value);
  return number;
}

/** Checks `options.drain`. For the addon, infinity means to read while any process holds the output open. */
function drainSpec(drain) {
  if (drain === undefined) return undefined;
  if (drain === 'end') return { idle: Infinity, max: Infinity };
  if (!isRecord(drain)) throw invalid('options.drain', "'end' or an object", drain);
  const { idle, max } = object('options.drain', drain, ['idle', 'max']);
  const meaning = 'a number of milliseconds';
  return {
    idle: milliseconds('options.drain.idle', idle, meaning) ?? 100,
    max: milliseconds('options.drain.max', max, meaning) ?? 2_000,
  };
}

function limitsSpec(limits) {
  if (limits === undefined) return undefined;
  object('options.limits', limits, ['memory', 'processes', 'fileSize', 'cpu', 'openFiles']);
  const { memory, processes, fileSize, cpu, openFiles } = limits;
  const meaning = 'a number of milliseconds above 0';
  if (cpu === 0) throw invalid('options.limits.cpu', meaning, cpu);
  const cpuMs = milliseconds('options.limits.cpu', cpu, meaning);
  return {
    memory: positive('options.limits.memory', memory, 'bytes'),
    processes: positive('options.limits.processes', processes),
    fileSize: positive('options.limits.fileSize', fileSize, 'bytes'),
    cpu: cpuMs === undefined ? undefined : Math.ceil(cpuMs / 1_000),
    openFiles: positive('options.limits.openFiles', openFiles),
  };
}

function positive(name, value, unit) {
  return integer(name, value, 1, Number.MAX_SAFE_INTEGER, unit);
}

export {
  absolute,
  checkPrewarm,
  checkRun,
  checkStart,
  drainSpec,
  forceKillDelay,
  limit,
  limitsSpec,
  signalNumber,
};
