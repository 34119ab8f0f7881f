import { checkDurable } from '../../durable/durable-options.ts';
import { Jobs } from '../../jobs.ts';
import { invalid, isRecord } from '../../options/checks.ts';
import type { ToolSurroundings } from '../toolset-state.ts';

/**
 * Checks the option `durable` of a toolset. Returns it as an option of its table: the jobs belong to the root
 * of the toolset, or else to its directory.
 */
function durableOption(
  durable: unknown,
  jobs: unknown,
  { root, cwd, target }: ToolSurroundings,
): { durable?: object } {
  if (checkDurable('options.durable', durable) === undefined) return {};
  if (jobs instanceof Jobs) throw invalid('options.jobs', 'the options of a table next to durable', jobs);
  if (target !== undefined) throw invalid('options.durable', 'none next to a target', durable);
  const given = isRecord(durable) ? durable : {};
  return { durable: { ...given, root: given.root ?? root ?? cwd } };
}

export { durableOption };
