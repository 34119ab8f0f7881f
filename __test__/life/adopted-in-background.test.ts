import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';

const COMMAND = 'sleep 0.4; sleep 0.5 >/dev/null 2>&1 &';

describe('a command in the background that leaves processes which are adopted', () => {
  it('is one job, which ends with them', async () => {
    await using jobs = new Jobs({ maxRunning: 1 });
    const { status } = await run(COMMAND, {
      timeout: 100,
      onTimeout: 'background',
      background: 'adopt',
      jobs,
    });
    expect(status).toBe('background');
    const { finished } = await jobs.wait();
    expect(finished.map((result) => [result.status, result.exitCode, result.error])).toEqual([
      ['exited', 0, null],
    ]);
    expect(finished[0]?.durationMs).toBeGreaterThanOrEqual(900);
    jobs.start('true');
    expect(() => jobs.start('true')).toThrow('Background job limit reached (1)');
  });

  it('has no more time than backgroundTimeout gives it in all', async () => {
    await using jobs = new Jobs();
    const command = 'sleep 0.3; sleep 100 >/dev/null 2>&1 &';
    const options = { timeout: 50, backgroundTimeout: 600, background: 'adopt' } as const;
    await run(command, { ...options, onTimeout: 'background', jobs });
    const { finished } = await jobs.wait();
    expect(finished[0]?.status).toBe('timeout');
    expect(finished[0]?.durationMs).toBeLessThan(10_000);
  });
});
