// The options of a table of jobs.

import type { DurableSettings } from '../durable/durable-options.ts';
import { features } from '../support/features.ts';
import { integer, invalid, object, oneOf, timerMilliseconds } from './checks.ts';
import type { Row } from './option-table.ts';
import { checkRows, namesOf } from './option-table.ts';

/** The checked options of a table. */
export interface TableSettings {
  maxRunning: number;
  retention: number;
  maxFinished: number;
  maxFinishedBytes: number;
  onHostExit: 'kill' | 'leave';
  readBytes: number;
  /** The option `record`, which the table checks by itself: that creates a file. */
  record: unknown;
  durable: DurableSettings | undefined;
}

/** The largest `readBytes`, the latest text of a job that a table keeps (bytes). */
const MAX_READ = 256 * 1024 * 1024;

/** The options of a table, and their defaults. */
const TABLE: readonly Row<TableSettings>[] = [
  {
    name: 'maxRunning',
    field: 'maxRunning',
    check: (name, value) => integer(name, value, 1, Number.MAX_SAFE_INTEGER),
  },
  { name: 'retention', field: 'retention', check: timerMilliseconds },
  {
    name: 'maxFinished',
    field: 'maxFinished',
    check: (name, value) => integer(name, value, 0, Number.MAX_SAFE_INTEGER),
  },
  {
    name: 'maxFinishedBytes',
    field: 'maxFinishedBytes',
    check: (name, value) => integer(name, value, 0, Number.MAX_SAFE_INTEGER, 'bytes'),
  },
  { name: 'onHostExit', field: 'onHostExit', check: (name, value) => oneOf(name, value, ['kill', 'leave']) },
  {
    name: 'readBytes',
    field: 'readBytes',
    check: (name, value) => integer(name, value, 0, MAX_READ, 'bytes'),
  },
  { name: 'record', field: 'record', check: (_name, value) => value },
  { name: 'durable', field: 'durable', check: (name, value) => features().checkDurable(name, value) },
];
const TABLE_DEFAULTS: TableSettings = {
  maxRunning: 15,
  retention: 300_000,
  maxFinished: 100,
  maxFinishedBytes: 64 * 1024 * 1024,
  onHostExit: 'kill',
  readBytes: 1024 * 1024,
  record: undefined,
  durable: undefined,
};

/** Checks the options of a table, which an error names as parts of `name`. */
function checkTable(options: unknown, name = 'options'): TableSettings {
  const given = object(name, options, namesOf(TABLE));
  const settings = { ...TABLE_DEFAULTS, ...checkRows(name, given, TABLE, undefined) };
  if (settings.durable !== undefined && given.onHostExit !== undefined) {
    throw invalid(`${name}.onHostExit`, 'none next to durable, whose jobs run on', given.onHostExit);
  }
  return settings;
}

export { checkTable };
