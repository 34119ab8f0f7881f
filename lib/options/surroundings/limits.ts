import type { LimitsSpec } from '../../addon/addon-types.ts';
import { integer, invalid, milliseconds, object } from '../checks.ts';

/** Checks `options.limits` and converts it for the addon. */
function limitsSpec(limits: unknown): LimitsSpec | undefined {
  if (limits === undefined) return undefined;
  const known = ['memory', 'processes', 'fileSize', 'cpu', 'openFiles'] as const;
  const { memory, processes, fileSize, cpu, openFiles } = object('options.limits', limits, known);
  const meaning = 'a number of milliseconds above 0';
  if (cpu === 0) throw invalid('options.limits.cpu', meaning, cpu);
  const cpuMs = milliseconds('options.limits.cpu', cpu, meaning);
  return {
    memory: positive('options.limits.memory', memory, 'bytes'),
    processes: positive('options.limits.processes', processes),
    fileSize: positive('options.limits.fileSize', fileSize, 'bytes'),
    cpu: cpuMs === undefined ? undefined : Math.ceil(cpuMs / 1_000),
    openFiles: positive('options.limits.openFiles', openFiles),
  };
}

function positive(name: string, value: unknown, unit?: string): number | undefined {
  return integer(name, value, 1, Number.MAX_SAFE_INTEGER, unit);
}

export { limitsSpec };
