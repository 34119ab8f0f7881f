import type * as Native from '../../native.js';
import type { GivenCall, NativeResult, SessionSpec } from '../addon/addon-types.ts';
import { sessionShell } from '../addon/native.ts';
import type { ActiveRecording } from '../live/record/recording.ts';
import type { Observers } from '../observe/observers.ts';
import type { Given } from '../options/checks.ts';
import { integer, invalid, milliseconds, object, oneOf, path, wrong } from '../options/checks.ts';
import { checkCommandText } from '../options/command/command-line.ts';
import type { Call } from '../options/command/command-options.ts';
import { checkCommandOptions, commandOptions } from '../options/command/command-options.ts';
import type { Row } from '../options/option-table.ts';
import { checkRows, namesOf } from '../options/option-table.ts';
import { ownCredentials } from '../options/surroundings/sandbox/host-rules.ts';
import { startStateIn } from '../options/surroundings/start-state.ts';
import type { SurroundingsPlan } from '../options/surroundings/surroundings.ts';
import { checkSurroundings, directories, SURROUNDINGS } from '../options/surroundings/surroundings.ts';
import { directoriesThere } from '../options/surroundings/target-surroundings.ts';
import { recordScope } from '../record.ts';
import { redactedText } from '../redact/redacted.ts';
import type { Redactor } from '../redact/redaction.ts';
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
  /** The first argument of a program that is a shell only with that. */
  applet: string | undefined;
  /** The time between SIGTERM and SIGKILL for background processes, when the session is closed (ms). */
  backgroundGrace: number;
  root: string | undefined;
  redactor: Redactor | undefined;
  /** The observers of all of its commands, and the recording that is one of them. */
  observers: Observers;
  active: ActiveRecording | null;
  /** Checks the directory in which a new shell starts, and returns its path. */
  startDirectory: (cwd: unknown) => string;
  spec: SessionSpec & { surroundings: SurroundingsPlan; given: GivenCall };
}

/** The options that a command takes from its session. */
type OfItsSession = Pick<SessionChoice, 'root' | 'redactor'>;

/** The checked options of a session, with its id. */
export type SessionPlan = SessionChoice & { id: string };

/** The options of a session alone, checked. */
interface OfSession {
  startFiles: SessionSpec['startFiles'];
  startTimeout: number;
  maxQueue: number;
  keepBackground: boolean;
  keep: 'process' | 'state';
  /** The option `record`, which is checked last: that creates a file. */
  record: unknown;
}

const OF_SESSION: readonly Row<OfSession>[] = [
  {
    name: 'startFiles',
    field: 'startFiles',
    check: (name, value) => oneOf(name, value, ['none', 'login', 'interactive', 'both']),
  },
  {
    name: 'startTimeout',
    field: 'startTimeout',
    check: (name, value) => milliseconds(name, value) || Infinity,
  },
  {
    name: 'maxQueue',
    field: 'maxQueue',
    check: (name, value) => integer(name, value, 0, Number.MAX_SAFE_INTEGER),
  },
  {
    name: 'background',
    field: 'keepBackground',
    check: (name, value) => oneOf(name, value, ['keep', 'kill']) === 'keep',
  },
  { name: 'keep', field: 'keep', check: (name, value) => oneOf(name, value, ['process', 'state']) },
  { name: 'record', field: 'record', check: (_name, value) => value },
];
const SESSION: readonly string[] = [...SURROUNDINGS, ...namesOf(OF_SESSION)];

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
  const { target } = options;
  const own = checkRows('options', options, OF_SESSION, undefined);
  const { maxQueue = 1_000, keep = 'process', startFiles, startTimeout, keepBackground = false } = own;
  const state = target === undefined ? startStateIn(options) : undefined;
  const { program, flavor, applet, backgroundGraceMs } = checkShell(options.shell ?? state?.shell);
  // Which shells there are on a target is known there.
  const isChosenThere = target !== undefined && (options.shell ?? 'auto') === 'auto';
  if (target !== undefined && keep === 'state') {
    throw unavailable('options.keep', "'process' with a target in this version");
  }
  const {
    error,
    ownTarget,
    spec: surroundings,
  } = checkSurroundings({
    ...options,
    credentials: ownCredentials(options.sandbox, options.credentials),
    shell: isChosenThere ? undefined : program,
  });
  const observers: Observers = new Set();
  return {
    observers,
    // Last, as it creates a file.
    active: recordScope(own.record, observers),
    refusal: error === null ? null : withoutDirectory(error),
    maxQueue,
    keep,
    ownTarget,
    flavor: flavor as Flavor,
    applet,
    backgroundGrace: backgroundGraceMs,
    root: target === undefined ? surroundings.root : undefined,
    redactor: surroundings.redactor,
    startDirectory: (cwd) => startDirectory(cwd, options, surroundings),
    spec: {
      surroundings: {
        ...surroundings,
        environment: withoutVariables(surroundings.environment, startFiles) + startVariable(surroundings),
      },
      startFiles,
      startTimeout,
      given: { command: undefined, options },
      keepBackground,
    },
  };
}

/** Checks the directory in which a new shell of a session starts, and returns its path. */
function startDirectory(given: unknown, { root }: Given<'root'>, surroundings: SurroundingsPlan): string {
  const held = surroundings.target?.held;
  const cwd = path('options.cwd', given);
  if (held === undefined) return directories(cwd, surroundings.root).cwd;
  return directoriesThere(cwd, path('options.root', root), held).cwd;
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
 * Returns the variable by which the first lines of each shell find the state of the login shell, also those
 * of zsh.
 */
function startVariable({ startState }: SurroundingsPlan): string {
  return startState === undefined ? '' : `BASH_ENV=${startState.file}\0`;
}

/**
 * Checks the arguments of `session.run()`. `root` of the session is the absolute workspace here, outside of
 * which spill files go.
 */
function checkSessionRun(command: unknown, given: unknown = {}, session: OfItsSession): SessionRun {
  return checkCommand('session.run', command, given, session);
}

/** Checks the arguments of `session.start()`. */
function checkSessionStart(command: unknown, given: unknown = {}, session: OfItsSession): SessionRun {
  const plan = checkCommand('session.start', command, given, session);
  if (plan.spec.more.openInput === true && plan.spec.more.input !== undefined) {
    throw invalid('options.stdin', "'empty' next to an input", 'pipe');
  }
  return plan;
}

/**
 * Checks the arguments of a command. The addon takes the same spec as for `run()`. What a session has once
 * for all commands is empty.
 */
function checkCommand(
  call: Call,
  command: unknown,
  given: unknown,
  { root, redactor }: OfItsSession,
): SessionRun {
  const options = object('options', given, commandOptions(call));
  const text = shortText(command);
  const { signal, isStrict, asksPipeStatus, timeout, observers, more } = checkCommandOptions(call, {
    options,
    pty: undefined,
    root,
  });
  return {
    text: redactedText(text, redactor),
    redactor,
    signal,
    observers,
    pipeStatus: asksPipeStatus,
    isStrict,
    spec: {
      command: text,
      surroundings: { ...IN_SESSION, redactor },
      timeout,
      given: { command: text, options },
      more,
    },
  };
}

/** A placeholder: the surroundings are those of the session. */
const IN_SESSION = { cwd: '', environment: '', shell: ['sh', '-s'] };

function shortText(given: unknown): string {
  const command = checkCommandText(given, 'a string');
  if (command.length > MAX_COMMAND / 4 && Buffer.byteLength(command) > MAX_COMMAND) {
    throw wrong(`Invalid command: expected at most ${MAX_COMMAND} bytes, got ${Buffer.byteLength(command)}`);
  }
  return command;
}

export { checkSession, checkSessionRun, checkSessionStart };
