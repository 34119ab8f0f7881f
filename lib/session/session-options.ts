import type * as Native from '../../native.js';
import type { GivenCall, NativeResult, SessionSpec } from '../addon/addon-types.ts';
import { sessionShell } from '../addon/native.ts';
import type { Given } from '../options/checks.ts';
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
} from '../options/checks.ts';
import { commandText } from '../options/command/command-line.ts';
import { drainSpec, forceKillDelay, killSignalNumber, timeLimit } from '../options/command/ending.ts';
import { outputSpec } from '../options/output/output-options.ts';
import { directories } from '../options/surroundings/directories.ts';
import type { SurroundingsPlan } from '../options/surroundings/surroundings.ts';
import { checkSurroundings, SURROUNDINGS } from '../options/surroundings/surroundings.ts';
import { directoriesThere } from '../options/surroundings/target.ts';
import { withoutDirectory } from '../result/result.ts';
import type { Target } from '../target/target.ts';
import type { SessionRun } from './session-command.ts';
import type { Flavor } from './state-scripts.ts';

/** The checked options of a session. */
export interface SessionChoice {
  /** The native result of commands that must not start, or `null`. */
  refusal: NativeResult | null;
  maxQueue: number;
  keep: 'process' | 'state';
  /** The target that exists for this session alone. */
  ownTarget: Target | null | undefined;
  flavor: Flavor;
  /** The time between SIGTERM and SIGKILL for background processes, when the session is closed (ms). */
  backgroundGrace: number;
  root: string | undefined;
  /** Checks the directory in which a new shell starts, and returns its path. */
  startDirectory: (cwd: unknown) => string;
  spec: SessionSpec & { surroundings: SurroundingsPlan; given: GivenCall };
}

/** The checked options of a session, with its id. */
export type SessionPlan = SessionChoice & { id: string };

const SESSION = [...SURROUNDINGS, 'startFiles', 'startTimeout', 'maxQueue', 'background', 'keep'] as const;
const COMMAND = [
  'input',
  'timeout',
  'idleTimeout',
  'signal',
  'killSignal',
  'forceKillAfterDelay',
  'drain',
  'output',
  'pipeStatus',
] as const;
const RUN = [...COMMAND, 'reject'] as const;
const START = [...COMMAND, 'stdin', 'onWaiting'] as const;

/**
 * Variables that no session's shell gets, not even from `env`: they would give it a start file, a prompt or a
 * time limit.
 */
const DROPPED = ['TMOUT', 'PROMPT_COMMAND', 'BASH_ENV', 'PS1', 'HISTFILE'];

/** The longest command (bytes). */
const MAX_COMMAND = 16 * 1024 * 1024;

/** Checks the options of a session. Returns the addon's part and the rest. */
function checkSession(given: unknown = {}): SessionChoice {
  const options = object('options', given, SESSION);
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
    refusal: error === null ? null : withoutDirectory(error),
    maxQueue: integer('options.maxQueue', maxQueue, 0, Number.MAX_SAFE_INTEGER) ?? 1_000,
    keep: kept,
    ownTarget,
    flavor: flavor as Flavor,
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
      given: { command: undefined, options: options as Readonly<Record<string, unknown>> },
      keepBackground: oneOf('options.background', background, ['keep', 'kill']) === 'keep',
    },
  };
}

/** Checks the directory in which a new shell of a session starts, and returns its path. */
function startDirectory(cwd: unknown, { root }: Given<'root'>, surroundings: SurroundingsPlan): string {
  const held = surroundings.target?.held;
  return (held === undefined ? directories(cwd, surroundings.root) : directoriesThere(cwd, root, held)).cwd;
}

/** Returns the program of a session's shell and its flavor: `bash`, `zsh` or `sh`. */
function checkShell(shell: unknown): Native.SessionShell {
  const program = shell === 'auto' ? undefined : shell;
  const isPath = program === undefined || (typeof program === 'string' && !program.includes('\0'));
  const known = isPath ? sessionShell(program) : null;
  if (known === null) {
    throw invalid('options.shell', "'auto', or the path of a bash, zsh, dash, ash or sh", shell);
  }
  return known;
}

function unavailable(name: string, expected: string): TypeError {
  return wrong(`Invalid option '${name}': expected ${expected}`, 'ERR_FEATURE_UNAVAILABLE');
}

function withoutVariables(environment: string, startFiles: SessionSpec['startFiles']): string {
  const names = startFiles === 'interactive' || startFiles === 'both' ? DROPPED : [...DROPPED, 'ENV'];
  const lines = environment.split('\0').slice(0, -1);
  const kept = lines.filter((line) => !names.some((name) => line.startsWith(`${name}=`)));
  return kept.map((line) => `${line}\0`).join('');
}

/**
 * Checks the arguments of `session.run()`. `root` is the absolute workspace here, outside of which spill files
 * go.
 */
function checkSessionRun(command: unknown, given: unknown, root: string | undefined): SessionRun {
  if (given === undefined) return { ...checkCommand(command, {}, root), isStrict: false };
  const options = object('options', given, RUN);
  return {
    ...checkCommand(command, options, root),
    isStrict: boolean('options.reject', options.reject) ?? false,
  };
}

/** Checks the arguments of `session.start()`. */
function checkSessionStart(command: unknown, given: unknown = {}, root: string | undefined): SessionRun {
  const options = object('options', given, START);
  const openInput = oneOf('options.stdin', options.stdin, ['empty', 'pipe']) === 'pipe';
  const plan = checkCommand(command, options, root);
  if (openInput && plan.spec.more.input !== undefined) {
    throw invalid('options.stdin', "'empty' next to an input", options.stdin);
  }
  plan.spec.more.openInput = openInput;
  plan.spec.more.onWaiting = oneOf('options.onWaiting', options.onWaiting, ['event', 'eof', 'kill']);
  return plan;
}

function checkCommand(
  command: unknown,
  options: Given<(typeof COMMAND)[number]>,
  root: string | undefined,
): SessionRun {
  const { input, timeout, idleTimeout, signal, killSignal, forceKillAfterDelay, drain, output } = options;
  const text = shortText(command);
  return {
    text,
    signal: abortSignal('options.signal', signal),
    pipeStatus: boolean('options.pipeStatus', options.pipeStatus) ?? false,
    // The addon takes the same spec as for `run()`. Fields that a session has once for all commands are
    // empty.
    spec: {
      command: text,
      surroundings: IN_SESSION,
      timeout: timeLimit('options.timeout', timeout),
      given: { command: text, options: options as Readonly<Record<string, unknown>> },
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

function shortText(given: unknown): string {
  const command = commandText(given, 'a string');
  if (command.length > MAX_COMMAND / 4 && Buffer.byteLength(command) > MAX_COMMAND) {
    throw wrong(`Invalid command: expected at most ${MAX_COMMAND} bytes, got ${Buffer.byteLength(command)}`);
  }
  return command;
}

export { checkSession, checkSessionRun, checkSessionStart };
