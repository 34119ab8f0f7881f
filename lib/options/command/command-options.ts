// The options of a command, and the calls that take each of them.

import { refuseOnWindows } from '../../addon/missing-addon.ts';
import type { CommandMore } from '../../job/command-plan.ts';
import type { Jobs } from '../../jobs.ts';
import type { Observers } from '../../observe/observers.ts';
import { commandRecorder } from '../../record.ts';
import { features } from '../../support/features.ts';
import type { Given } from '../checks.ts';
import { abortSignal, boolean, bytes, invalid, oneOf } from '../checks.ts';
import type { Row } from '../option-table.ts';
import { checkRows, namesOf } from '../option-table.ts';
import { codePageOf, keepsBytes } from '../output/encoding.ts';
import type { Terminal } from './pty-options.ts';
import { drainSpec, forceKillDelay, killSignalNumber, timeLimit } from './termination.ts';

/** A call that takes a command: `run()`, `Jobs.start()`, and both of a session. */
export type Call = 'run' | 'start' | 'session.run' | 'session.start';

/** The checked options of a command. */
export interface CommandChoice {
  timeout: number | undefined;
  signal: AbortSignal | undefined;
  /** Whether a failed command rejects. */
  isStrict: boolean;
  asksPipeStatus: boolean;
  table: Jobs | undefined;
  /** The observers that record the command. */
  observers: Observers | undefined;
  /** Options that most commands do not have: the addon has the defaults of absent ones. */
  more: CommandMore;
}

/** The context of the checks, besides the value. */
export interface AroundCommand {
  options: Given<string>;
  pty: Terminal | undefined;
  /** The absolute workspace here, outside of which spill files go. */
  root: string | undefined;
  /** Recognizes a `Jobs`. */
  isTable?: IsTable;
}

export type IsTable = (value: unknown) => value is Jobs;

type Fields = CommandMore & Omit<CommandChoice, 'more'>;

/** The fields that are not options of the addon. */
const CHOICES: ReadonlySet<string> = new Set<keyof Fields>([
  'timeout',
  'signal',
  'isStrict',
  'asksPipeStatus',
  'table',
  'observers',
]);

const OWN: readonly Call[] = ['run', 'start'];
const ALL: readonly Call[] = [...OWN, 'session.run', 'session.start'];
const JOB: readonly Call[] = ['start', 'session.start'];

const ROWS: readonly (Row<Fields, AroundCommand> & { calls: readonly Call[] })[] = [
  { name: 'signal', field: 'signal', calls: ALL, check: abortSignal },
  {
    name: 'timeout',
    field: 'timeout',
    calls: ALL,
    // 0 moves a command to the background at once.
    check: (name, value, { options }) => timeLimit(name, value, options.onTimeout === 'background'),
  },
  {
    name: 'onTimeout',
    field: 'movesToBackground',
    calls: ['run'],
    check: (name, value) => oneOf(name, value, ['kill', 'background']) === 'background' || undefined,
  },
  { name: 'backgroundTimeout', field: 'backgroundTimeout', calls: ['run'], check: limit },
  { name: 'reject', field: 'isStrict', calls: ['run', 'session.run'], check: boolean },
  {
    name: 'jobs',
    field: 'table',
    calls: ['run'],
    check: (name, value, { isTable }) => {
      if (isTable?.(value)) return value;
      throw invalid(name, 'a table of Jobs', value);
    },
  },
  {
    name: 'pipeStatus',
    field: 'asksPipeStatus',
    calls: ['run', 'session.run', 'session.start'],
    check: boolean,
  },
  { name: 'input', field: 'input', calls: ALL, check: bytes },
  { name: 'pty', field: 'pty', calls: OWN, check: (_name, _value, { pty }) => pty },
  {
    name: 'stdin',
    field: 'openInput',
    calls: JOB,
    check: (name, value) => oneOf(name, value, ['empty', 'pipe']) === 'pipe' || undefined,
  },
  {
    name: 'onWaiting',
    field: 'onWaiting',
    calls: ['run'],
    check: (name, value) => onWaiting(name, value, ['eof', 'kill']),
  },
  {
    name: 'onWaiting',
    field: 'onWaiting',
    calls: JOB,
    check: (name, value) => onWaiting(name, value, ['event', 'eof', 'kill']),
  },
  { name: 'record', field: 'observers', calls: ALL, check: commandRecorder },
  { name: 'idleTimeout', field: 'idleTimeout', calls: ALL, check: limit },
  { name: 'killSignal', field: 'killSignal', calls: ALL, check: killSignalNumber },
  { name: 'forceKillAfterDelay', field: 'forceKillAfterDelay', calls: ALL, check: forceKillDelay },
  {
    name: 'background',
    field: 'leftovers',
    calls: ['run'],
    check: (name, value) => oneOf(name, value, ['keep', 'kill', 'adopt']),
  },
  {
    name: 'background',
    field: 'leftovers',
    calls: ['start'],
    check: (name, value) => oneOf(name, value, ['keep', 'kill']),
  },
  { name: 'drain', field: 'drain', calls: ALL, check: drainSpec },
  {
    name: 'encoding',
    field: 'bytes',
    calls: OWN,
    check: (_name, _value, { options }) => keepsBytes(options),
  },
  { name: 'encoding', field: 'codePage', calls: OWN, check: codePageOf },
  // The output is the last one, because its check may choose a spill directory, which only a valid call
  // should do.
  {
    name: 'output',
    field: 'output',
    calls: ALL,
    check: (_name, value, { root }) => features().outputSpec(value, root),
  },
];

const ROWS_OF: Readonly<Record<Call, typeof ROWS>> = {
  run: rowsOf('run'),
  start: rowsOf('start'),
  'session.run': rowsOf('session.run'),
  'session.start': rowsOf('session.start'),
};

function rowsOf(call: Call): typeof ROWS {
  return ROWS.filter(({ calls }) => calls.includes(call));
}

/** Returns the names of the options that a call takes. */
function commandOptions(call: Call): readonly string[] {
  return namesOf(ROWS_OF[call]);
}

/** Checks the options of a command, apart from its surroundings and its policy. */
function checkCommandOptions(call: Call, around: AroundCommand): CommandChoice {
  const fields = checkRows('options', around.options, ROWS_OF[call], around);
  const { timeout, signal, isStrict = false, asksPipeStatus = false, table, observers } = fields;
  return { timeout, signal, isStrict, asksPipeStatus, table, observers, more: fieldsForAddon(fields) };
}

/** Returns the fields that are options of the addon. A rest property would take longer than the checks. */
function fieldsForAddon(fields: Partial<Fields>): CommandMore {
  const more: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) if (!CHOICES.has(field)) more[field] = value;
  return more;
}

/** Checks what happens to a command that waits for input, which nothing tells on Windows. */
function onWaiting<const Choice>(name: string, value: unknown, choices: readonly Choice[]) {
  if (value !== undefined) refuseOnWindows(`'${name}'`);
  return oneOf(name, value, choices);
}

function limit(name: string, value: unknown): number | undefined {
  return timeLimit(name, value);
}

export { checkCommandOptions, commandOptions };
