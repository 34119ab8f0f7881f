import { sessionShell } from '../addon/native.mjs';
import {
  abortSignal,
  boolean,
  bytes,
  integer,
  invalid,
  milliseconds,
  object,
  oneOf,
  wrong,
} from '../options/checks.mjs';
import { commandText } from '../options/command/command-line.mjs';
import { drainSpec, forceKillDelay, killSignalNumber, timeLimit } from '../options/command/ending.mjs';
import { outputSpec } from '../options/output/output-options.mjs';
import { directories } from '../options/surroundings/directories.mjs';
import { checkSurroundings, SURROUNDINGS } from '../options/surroundings/surroundings.mjs';
import { directoriesThere } from '../options/surroundings/target.mjs';
import { withoutDirectory } from '../result/result.mjs';

const SESSION = [...SURROUNDINGS, 'startFiles', 'startTimeout', 'maxQueue', 'background', 'keep'];
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

/**
 * Variables that no session's shell gets, not even from `env`: they would give it a start file, a prompt or a
 * time limit.
 */
const DROPPED = ['TMOUT', 'PROMPT_COMMAND', 'BASH_ENV', 'PS1', 'HISTFILE'];

/** The longest command (bytes). */
const MAX_COMMAND = 16 * 1024 * 1024;

/** Checks the options of a session. Returns the addon's part and the rest. */
function checkSession(options = {}) {
  object('options', options, SESSION);
  const { startFiles, startTimeout, maxQueue, background, keep, target } = options;
  const files = oneOf('options.startFiles', startFiles, ['none', 'login', 'interactive', 'both']);
  const { program, flavor, backgroundGraceMs } = checkShell(options.shell);
  const kept = oneOf('options.keep', keep, ['process', 'state']) ?? 'process';
  // Which shells there are on a target is known there.
  const isChosenThere = target !== undefined && (options.shell ?? 'auto') === 'auto';
  if (target !== undefined && kept === 'state') {
    throw unavailable('options.keep', "'process' with a target in this version");
  }
  const {
    error,
    ownTarget,
    spec: surroundings,
  } = checkSurroundings({ ...options, shell: isChosenThere ? undefined : program });
  const timeout = milliseconds('options.startTimeout', startTimeout);
  return {
    refusal: error && withoutDirectory(error),
    maxQueue: integer('options.maxQueue', maxQueue, 0, Number.MAX_SAFE_INTEGER) ?? 1_000,
    keep: kept,
    ownTarget,
    flavor,
    backgroundGrace: backgroundGraceMs,
    root: target === undefined ? surroundings.root : undefined,
    startDirectory: (cwd) => startDirectory(cwd, options, surroundings),
    spec: {
      surroundings: {
        ...surroundings,
        environment: withoutVariables(surroundings.environment, files),
      },
      startFiles: files,
      startTimeout: timeout === 0 ? Infinity : timeout,
      keepBackground: oneOf('options.background', background, ['keep', 'kill']) === 'keep',
    },
  };
}

/** Checks the directory in which a new shell of a session starts, and returns its path. */
function startDirectory(cwd, { root }, surroundings) {
  const held = surroundings.target?.held;
  return (held === undefined ? directories(cwd, surroundings.root) : directoriesThere(cwd, root, held)).cwd;
}

/** Returns the program of a session's shell and its flavor: `bash`, `zsh` or `sh`. */
function checkShell(shell) {
  const program = shell === 'auto' ? undefined : shell;
  const isPath = program === undefined || (typeof program === 'string' && !program.includes('\0'));
  const known = isPath ? sessionShell(program) : null;
  if (known === null) {
    throw invalid('options.shell', "'auto', or the path of a bash, zsh, dash, ash or sh", shell);
  }
  return known;
}

function unavailable(name, expected) {
  return wrong(`Invalid option '${name}': expected ${expected}`, 'ERR_FEATURE_UNAVAILABLE');
}

function withoutVariables(environment, startFiles) {
  const names = startFiles === 'interactive' || startFiles === 'both' ? DROPPED : [...DROPPED, 'ENV'];
  const lines = environment.split('\0').slice(0, -1);
  const kept = lines.filter((line) => !names.some((name) => line.startsWith(`${name}=`)));
  return kept.map((line) => `${line}\0`).join('');
}

/**
 * Checks the arguments of `session.run()`. `root` is the absolute workspace here, outside of which spill files
 * go.
 */
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
    text: shortText(command),
    signal: abortSignal('options.signal', signal),
    pipeStatus: boolean('options.pipeStatus', options.pipeStatus) ?? false,
    // The addon takes the same spec as for `run()`. Fields that a session has once for all commands are
    // empty.
    spec: {
      command,
      surroundings: IN_SESSION,
      timeout: timeLimit('options.timeout', timeout),
      more: {
        input: input === undefined ? undefined : bytes('options.input', input),
        openInput: undefined,
        onWaiting: undefined,
        idleTimeout: timeLimit('options.idleTimeout', idleTimeout),
        killSignal: killSignalNumber(killSignal),
        forceKillAfterDelay: forceKillDelay(forceKillAfterDelay),
        drain: drainSpec(drain),
        output: outputSpec(output, root),
      },
    },
  };
}

/** A placeholder: the surroundings are those of the session. */
const IN_SESSION = { cwd: '', environment: '', shell: ['sh', '-s'] };

function shortText(command) {
  commandText(command, 'a string');
  if (command.length > MAX_COMMAND / 4 && Buffer.byteLength(command) > MAX_COMMAND) {
    throw wrong(`Invalid command: expected at most ${MAX_COMMAND} bytes, got ${Buffer.byteLength(command)}`);
  }
  return command;
}

export { checkSession, checkSessionRun, checkSessionStart };
