import { integer, invalid, milliseconds, object } from '../checks.mjs';

/** Checks `options.limits` and converts it for the addon. */
function limitsSpec(limits) {
  if (limits === undefined) return undefined;
  object('options.limits', limits, ['memory', 'processes', 'fileSize', 'cpu', 'openFiles']);
  const { memory, processes, fileSize, cpu, openFiles } = limits;
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

function positive(name, value, unit) {
  return integer(name, value, 1, Number.MAX_SAFE_INTEGER, unit);
}

export { limitsSpec };
