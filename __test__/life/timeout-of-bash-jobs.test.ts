import { describe, expect, it } from 'vitest';
import { BashJob } from '../../index.js';
import { living, until } from '../support/processes.mjs';
import { within } from '../support/slowness.mjs';
import { tag } from '../support/tag.js';

describe('the timeout of a job', () => {
  it('ends it', async () => {
    const seconds = tag();
    const job = new BashJob({ command: `sleep ${seconds} & wait` }, '/', false, { timeout: 300 });
    const { status, durationMs } = await job.result;
    expect(status).toBe('timeout');
    expect(durationMs).toBeGreaterThanOrEqual(300);
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('counts for whatever holds the output open', async () => {
    const seconds = tag();
    const job = new BashJob({ command: `sleep ${seconds} & echo hi` }, '/', false, { timeout: within(500) });
    const { status, exitCode, output } = await job.result;
    expect({ status, exitCode }).toEqual({ status: 'timeout', exitCode: 0 });
    expect(output).toContain('hi\n');
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it.each([0, 0.5, 1, 1_000_000_000, 2 ** 31, 2 ** 53, 1e22, Number.MAX_VALUE])(
    'may be %d ms',
    async (timeout) => {
      const job = new BashJob({ command: 'sleep 0.2' }, '/', false, { timeout });
      const { status } = await job.result;
      expect(status).toBe(timeout === 0 || timeout > 1 ? 'exited' : 'timeout');
    },
  );

  it('of 0 is none', async () => {
    const job = new BashJob({ command: 'sleep 1; echo hi' }, '/', false, { timeout: 0 });
    expect((await job.result).output).toBe('hi\n\n[Exit code: 0]');
  });

  it('that is undefined is the default', async () => {
    const job = new BashJob({ command: 'echo hi' }, '/', false, { timeout: undefined });
    expect((await job.result).status).toBe('exited');
  });
});
