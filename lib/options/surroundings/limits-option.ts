import type { LimitsSpec } from '../../addon/addon-types.ts';
import { integer, invalid, milliseconds, object } from '../checks.ts';
import type { Row } from '../option-table.ts';
import { checkRows, namesOf } from '../option-table.ts';
import { treeSpec } from './tree-option.ts';

/** The options of `limits`. */
const LIMITS: readonly Row<LimitsSpec>[] = [
  { name: 'memory', field: 'memory', check: size },
  { name: 'processes', field: 'processes', check: count },
  { name: 'fileSize', field: 'fileSize', check: size },
  { name: 'cpu', field: 'cpu', check: seconds },
  { name: 'openFiles', field: 'openFiles', check: count },
  { name: 'tree', field: 'tree', check: treeSpec },
];

function size(name: string, value: unknown): number | undefined {
  return integer(name, value, 1, Number.MAX_SAFE_INTEGER, 'bytes');
}

function count(name: string, value: unknown): number | undefined {
  return integer(name, value, 1, Number.MAX_SAFE_INTEGER);
}

/** Checks a time (ms), and returns it in seconds, which the kernel counts in. */
function seconds(name: string, value: unknown): number | undefined {
  const meaning = 'a number of milliseconds above 0';
  if (value === 0) throw invalid(name, meaning, value);
  const time = milliseconds(name, value, meaning);
  return time === undefined ? undefined : Math.ceil(time / 1_000);
}

/** Checks `options.limits` and converts it for the addon. */
function limitsSpec(name: string, limits: unknown): LimitsSpec {
  return checkRows(name, object(name, limits, namesOf(LIMITS)), LIMITS, undefined);
}

export { limitsSpec };
