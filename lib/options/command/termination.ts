// The options that end a command: time limits, signals, and the wait for its output.

import type { DrainSpec } from '../../addon/addon-types.ts';
import { theBinding } from '../../addon/binding.ts';
import { invalid, isRecord, milliseconds, object } from '../checks.ts';
import type { Row } from '../option-table.ts';
import { checkRows, namesOf } from '../option-table.ts';
import { isSignal } from './signals.ts';

/** Checks a time limit (ms). 0 is no limit, unless `isZeroMeant`. */
function timeLimit(name: string, value: unknown, isZeroMeant = false): number | undefined {
  const time = milliseconds(name, value);
  return time === 0 && !isZeroMeant ? undefined : time;
}

/** Checks a signal that ends a command, and returns its number. */
function killSignalNumber(name: string, value: unknown): number {
  const number = isSignal(value) ? theBinding().signalNumber(value) : null;
  if (number === null || number <= 0) throw invalid(name, "a signal such as 'SIGTERM' or its number", value);
  return number;
}

/** Checks the delay before SIGKILL (ms). For the addon, infinity means never. */
function forceKillDelay(name: string, value: unknown): number | undefined {
  if (value === false) return Infinity;
  return milliseconds(name, value, 'a number of milliseconds or false');
}

/** The options of `drain`. */
const DRAIN: readonly Row<DrainSpec>[] = [
  { name: 'idle', field: 'idle', check: drainTime },
  { name: 'max', field: 'max', check: drainTime },
];

function drainTime(name: string, value: unknown): number | undefined {
  return milliseconds(name, value, 'a number of milliseconds');
}

/**
 * Checks the wait for output. For the addon, infinity means to read while any process holds the output open.
 */
function drainSpec(name: string, drain: unknown): DrainSpec {
  if (drain === 'end') return { idle: Infinity, max: Infinity };
  if (!isRecord(drain)) throw invalid(name, "'end' or an object", drain);
  return checkRows(name, object(name, drain, namesOf(DRAIN)), DRAIN, undefined);
}

export { drainSpec, forceKillDelay, killSignalNumber, timeLimit };
