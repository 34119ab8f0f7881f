/**
 * Returns a value for comparison: pids, and ids of jobs, which no recording has, become names. Absent fields
 * stay absent, and the order of keys counts.
 */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: [...value] };
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.entries(value).map(([name, each]) => {
    if (['pid', 'processGroup', 'jobId'].includes(name) && each !== null) return [name, `<${name}>`];
    if (name === 'backgroundPids') return [name, (each as number[]).length];
    // The token of a decision, and the path of a spill file, have random parts.
    if (name === 'token' || name === 'spillPath') return [name, typeof each];
    return [name, plain(each)];
  });
}
