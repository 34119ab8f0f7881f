/**
 * Jobs that are hard to end, each with how many processes it has (at least) that sleep for `$TAG` seconds.
 */
export const JOBS: Record<string, { command: string; sleepers: number; isStreaming?: boolean }> = {
  'a plain job': { command: 'exec sleep $TAG', sleepers: 1 },
  'a job with children': { command: 'sleep $TAG & sleep $TAG & wait', sleepers: 2 },
  'a job with a session inside': { command: 'setsid sleep $TAG & sleep $TAG', sleepers: 2 },
  'a job with a daemon': {
    command: `sh -c 'setsid sh -c "sleep $TAG & exec sleep $TAG" >/dev/null 2>&1 &'; sleep $TAG`,
    sleepers: 3,
  },
  'a job that ignores SIGTERM': {
    command: "trap '' TERM HUP INT; while :; do sleep $TAG; done",
    sleepers: 1,
  },
  'a job that streams': { command: 'sleep $TAG & yes $TAG', sleepers: 1, isStreaming: true },
};

/** A program that starts a job by name (or all) and says `ready` when it runs as meant. */
export function hostOf(names: string[], then: string): string {
  const jobs = names.map((name) => JOBS[name]);
  const sleepers = jobs.reduce((sum, job) => sum + (job?.sleepers ?? 0), 0);
  return `
    const jobs = ${JSON.stringify(jobs)}.map(({ command, isStreaming }) => {
      const job = new BashJob({ command: command.replaceAll('$TAG', TAG) }, root, false, { timeout: 0 });
      if (isStreaming) job.on('data', () => {});
      return job;
    });
    await until(() => living('sleep\\0' + TAG).length >= ${sleepers}, 'all sleep');
    // A daemon has its session a moment after its birth.
    await until(() => jobs.every((job) => job.pid !== null), 'all have a process');
    console.log('ready');
    ${then}
  `;
}
