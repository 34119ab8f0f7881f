import { describe, expect, it } from 'vitest';
import { BashJob } from '../../index.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

/** Commands that start a process that sleeps `$T` and that a plain kill of the shell does not reach. */
const TREES: Record<string, string> = {
  'a child': 'sleep $T & wait',
  'a grandchild': 'sh -c "sleep $T & wait" & wait',
  'a child in a session of its own': 'setsid sleep $T & wait',
  'a daemon': `sh -c 'setsid sh -c "sleep $T & exec sleep $T" &'; wait; sleep $T`,
  'a daemon with its output redirected': `sh -c 'setsid sh -c "sleep $T & exec sleep $T" >/dev/null 2>&1 &'; sleep $T`,
  'a holder of the output, after the shell': 'setsid sleep $T & exit 0',
  'a child in the group, after the shell': 'sleep $T & exit 0',
  'a stopped child': `sh -c 'kill -STOP $$; sleep $T' & sleep $T`,
};

async function started(command: string): Promise<{ job: BashJob; seconds: string }> {
  const seconds = tag();
  const job = new BashJob({ command: command.replaceAll('$T', seconds) }, '/');
  await until(() => living(`sleep\0${seconds}`).length > 0, 'it sleeps');
  return { job, seconds };
}

describe.each(['SIGTERM', 'SIGKILL'] as const)('kill(%s) leaves none of', (signal) => {
  it.each(Object.entries(TREES))('%s', async (_, command) => {
    const { job, seconds } = await started(command);
    job.kill(signal);
    await job.result;
    await until(() => living(seconds).length === 0, 'none is left');
  });
});

describe('what ignores SIGTERM', () => {
  it('is killed after the grace', async () => {
    const { job, seconds } = await started("trap '' TERM; while :; do sleep $T; done");
    job.kill();
    const { durationMs, signal } = await job.result;
    expect(signal).toBe('SIGKILL');
    expect(durationMs).toBeGreaterThan(4_900);
    expect(living(seconds)).toEqual([]);
  });

  it('is killed at once by SIGKILL during the grace', async () => {
    const { job, seconds } = await started("trap '' TERM; while :; do sleep $T; done");
    job.kill();
    job.kill('SIGKILL');
    const { durationMs } = await job.result;
    expect(durationMs).toBeLessThan(4_500);
    expect(living(seconds)).toEqual([]);
  });
});
