// The options that end a command: time limits, signals, and the wait for its output.

import type { DrainSpec } from '../../addon/addon-types.ts';
import { theHost } from '../../addon/host.ts';
import { invalid, isRecord, milliseconds, object } from '../checks.ts';
import { isSignal } from './signals.ts';

/** Checks a time limit (ms). 0 is no limit, unless `isZeroMeant`. */
function timeLimit(name: string, value: unknown, isZeroMeant = false): number | undefined {
  const time = milliseconds(name, value);
  return time === 0 && !isZeroMeant ? undefined : time;
}

/** Checks `options.killSignal`, and returns its number. */
function killSignalNumber(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const number = isSignal(value) ? theHost().signalNumber(value) : null;
  if (number === null || number <= 0)
    throw invalid('options.killSignal', "a signal such as 'SIGTERM' or its number", value);
  return number;
}

/** Checks the delay before SIGKILL (ms). For the addon, infinity means never. */
function forceKillDelay(value: unknown): number | undefined {
  if (value === false) return Infinity;
  return milliseconds('options.forceKillAfterDelay', value, 'a number of milliseconds or false');
}

/** Checks `options.drain`. For the addon, infinity means to read while any process holds the output open. */
function drainSpec(drain: unknown): DrainSpec | undefined {
  if (drain === undefined) return undefined;
  if (drain === 'end') return { idle: Infinity, max: Infinity };
  if (!isRecord(drain)) throw invalid('options.drain', "'end' or an object", drain);
  const { idle, max } = object('options.drain', drain, ['idle', 'max']);
  const meaning = 'a number of milliseconds';
  return {
    idle: milliseconds('options.drain.idle', idle, meaning),
    max: milliseconds('options.drain.max', max, meaning),
  };
}

export { drainSpec, forceKillDelay, killSignalNumber, timeLimit };
