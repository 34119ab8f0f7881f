import { isAbsolute } from 'node:path';
import type { TreeSpec } from '../../addon/addon-types.ts';
import { integer, invalid, object, oneOf, path } from '../checks.ts';
import type { Row } from '../option-table.ts';
import { checkRows, namesOf } from '../option-table.ts';

/** The largest share of the processors: the kernel's. */
const MAX_WEIGHT = 10_000;

/** The options of `limits.tree`. */
const TREE: readonly Row<TreeSpec & { io?: Pick<TreeSpec, 'read' | 'write'> }>[] = [
  { name: 'memory', field: 'memory', check: size },
  { name: 'swap', field: 'swap', check: (name, value) => bytes(name, value, 0) },
  { name: 'processes', field: 'processes', check: (name, value) => integer(name, value, 1, 2 ** 22) },
  { name: 'cpus', field: 'cpus', check: processors },
  { name: 'cpuWeight', field: 'cpuWeight', check: (name, value) => integer(name, value, 1, MAX_WEIGHT) },
  { name: 'io', field: 'io', check: rates },
  { name: 'cgroup', field: 'cgroup', check: directory },
  { name: 'onUnavailable', field: 'allowsWeaker', check: weaker },
];

/** The options of `limits.tree.io`. */
const RATES: readonly Row<Pick<TreeSpec, 'read' | 'write'>>[] = [
  { name: 'read', field: 'read', check: size },
  { name: 'write', field: 'write', check: size },
];

function size(name: string, value: unknown): number | undefined {
  return bytes(name, value, 1);
}

function bytes(name: string, value: unknown, least: number): number | undefined {
  return integer(name, value, least, Number.MAX_SAFE_INTEGER, 'bytes');
}

/** Checks a number of processors. The kernel grants at least a hundredth of one. */
function processors(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0.01 && value <= 10_000) return value;
  throw invalid(name, 'a number of processors from 0.01 to 10000', value);
}

function rates(name: string, value: unknown): Pick<TreeSpec, 'read' | 'write'> {
  return checkRows(name, object(name, value, namesOf(RATES)), RATES, undefined);
}

function directory(name: string, value: unknown): string | undefined {
  const checked = path(name, value);
  if (checked !== undefined && !isAbsolute(checked)) throw invalid(name, 'an absolute path', value);
  return checked;
}

function weaker(name: string, value: unknown): boolean | undefined {
  return oneOf(name, value, ['fail', 'weaker']) === 'weaker';
}

/** Checks `options.limits.tree` and converts it for the addon. */
function treeSpec(name: string, tree: unknown): TreeSpec {
  const { io, ...spec } = checkRows(name, object(name, tree, namesOf(TREE)), TREE, undefined);
  const fromEnvironment = process.env.AGENT_BASH_CGROUP || undefined;
  return { ...spec, ...io, cgroup: spec.cgroup ?? directory('AGENT_BASH_CGROUP', fromEnvironment) };
}

export { treeSpec };
