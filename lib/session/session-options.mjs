import {
  abortSignal,
  boolean,
  bytes,
  cText,
  describe,
  integer,
  invalid,
  milliseconds,
  object,
  oneOf,
  path,
  wrong,
} from '../options/checks.mjs';
import { commandEnvironment } from '../options/environment.mjs';
import { outputSpec } from '../options/output/output-options.mjs';
import {
  absolute,
  drainSpec,
  forceKillDelay,
  limit,
  limitsSpec,
  signalNumber,
} from '../options/run-options.mjs';

const SESSION = [
  'cwd',
  'root',
  'env',
  'extendEnv',
  'nonInteractive',
  'limits',
  'shell',
  'startFiles',
  'startTimeout',
  'maxQueue',
  'background',
  'keep',
];
const RUN = [
  'input',
  'timeout',
  'idleTimeout',
  'signal',
  'killSignal',
  'forceKillAfterDelay',
  'drain',
  'output',
  'reject',
  'pipeStatus',
];
const START = [...RUN.filter((name) => name !== 'reject'), 'stdin', 'onWaiting'];

/** Variables that are not inherited: they would give the shell a start file, a prompt or a time limit. */
const NOT_INHERITED = ['TMOUT', 'PROMPT_COMMAND', 'BASH_ENV', 'PS1', 'HISTFILE'];

/** The longest command (bytes). */
const MAX_COMMAND = 16 * 1024 * 1024;

/** Checks the options of a session. Returns the addon's part and the rest. */
function checkSession(options = {}) {
  object('options', options, SESSION);
  const { cwd, root, env, extendEnv, nonInteractive, limits, shell } = options;
  const { startFiles, startTimeout, maxQueue, background, keep } = options;
  const files = oneOf('options.startFiles', startFiles, ['none', 'login', 'interactive', 'both']) ?? 'none';
  const directories = absolute(path('options.cwd', cwd), path('options.root', root));
  const timeout = milliseconds('options.startTimeout', startTimeout) ?? 10_000;
  return {
    refusal: directories.refusal,
    maxQueue: integer('options.maxQueue', maxQueue, 0, Number.MAX_SAFE_INTEGER) ?? 1_000,
    keep: oneOf('options.keep', keep, ['process', 'state']) ?? 'process',
    spec: {
      shell: shellPath(shell),
      cwd: directories.cwd,
      root: directories.root,
      environment: withoutVariables(commandEnvironment(env, extendEnv, nonInteractive), files),
      limits: limitsSpec(limits),
      startFiles: files,
      startTimeout: timeout === 0 ? undefined : timeout,
      keepBackground: (oneOf('options.background', background, ['keep', 'kill']) ?? 'kill') === 'keep',
    },
  };
}

/** Returns the path of the shell; `undefined` for the usual shell. */
function shellPath(shell) {
  if (shell === undefined || shell === 'auto') return undefined;
  const meaning = "'auto', or the path of a bash, zsh, dash, ash or sh";
  cText('options.shell', shell, meaning);
  if (!SHELL.test(shell)) throw invalid('options.shell', meaning, shell);
  return shell;
}

const SHELL = /(^|\/)(bash|zsh|dash|ash|sh)$/;

function withoutVariables(environment, startFiles) {
  const names =
    startFiles === 'interactive' || startFiles === 'both' ? NOT_INHERITED : [...NOT_INHERITED, 'ENV'];
  const lines = environment.split('\0').slice(0, -1);
  const kept = lines.filter((line) => !names.some((name) => line.startsWith(`${name}=`)));
  return kept.map((line) => `${line}\0`).join('');
}

/** Checks the arguments of `session.run()`. `root` is the absolute workspace, outside of which spill files go. */
function checkSessionRun(command, options, root) {
  if (options === undefined) return { ...checkCommand(command, {}, root), isStrict: false };
  object('options', options, RUN);
  return {
    ...checkCommand(command, options, root),
    isStrict: boolean('options.reject', options.reject) ?? false,
  };
}

/** Checks the arguments of `session.start()`. */
function checkSessionStart(command, options = {}, root) {
  object('options', options, START);
  const openInput = oneOf('options.stdin', options.stdin, ['empty', 'pipe']) === 'pipe';
  const plan = checkCommand(command, options, root);
  if (openInput && plan.spec.more.input !== undefined) {
    throw invalid('options.stdin', "'empty' next to an input", options.stdin);
  }
  plan.spec.more.openInput = openInput;
  plan.spec.more.onWaiting = oneOf('options.onWaiting', options.onWaiting, ['event', 'eof', 'kill']);
  return plan;
}

function checkCommand(command, options, root) {
  const { input, timeout, idleTimeout, signal, killSignal, forceKillAfterDelay, drain, output } = options;
  return {
    text: checkText(command),
    signal: abortSignal('options.signal', signal),
    pipeStatus: boolean('options.pipeStatus', options.pipeStatus) ?? false,
    // The addon takes the same spec as for `run()`. Fields that a session has once for all commands are empty.
    spec: {
      command,
      cwd: '',
      environment: '',
      timeout: limit('options.timeout', timeout),
      more: {
        shell: IN_SESSION,
        input: input === undefined ? undefined : bytes('options.input', input),
        openInput: undefined,
        onWaiting: undefined,
        idleTimeout: limit('options.idleTimeout', idleTimeout),
        killSignal: signalNumber(killSignal),
        forceKillAfterDelay: forceKillDelay(forceKillAfterDelay),
        drain: drainSpec(drain),
        output: outputSpec(output, root),
      },
    },
  };
}

/** A placeholder for the shell of the session. */
const IN_SESSION = ['sh', '-s'];

function checkText(command) {
  if (typeof command !== 'string') throw wrongCommand('a string', command);
  if (command.trim() === '') throw wrongCommand('text that is not blank', command);
  if (command.includes('\0')) throw wrongCommand('text without null bytes', command);
  if (command.length > MAX_COMMAND / 4 && Buffer.byteLength(command) > MAX_COMMAND) {
    throw wrong(`Invalid command: expected at most ${MAX_COMMAND} bytes, got ${Buffer.byteLength(command)}`);
  }
  return command;
}

function wrongCommand(expected, actual) {
  return wrong(`Invalid command: expected ${expected}, got ${describe(actual)}`);
}

export { checkSession, checkSessionRun, checkSessionStart };
