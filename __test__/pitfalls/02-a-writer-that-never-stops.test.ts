import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { living } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

describe('a child in the background that never stops writing', () => {
  it('keeps the answer waiting for the longest time only', async () => {
    const seconds = tag();
    const command = `while :; do echo more; sleep 0.01; done & sleep ${seconds} >/dev/null & echo first`;
    const { status, exitCode, stdout, backgroundPids, durationMs } = await run(command, {
      drain: { idle: 550, max: 600 },
      background: 'kill',
    });
    expect({ status, exitCode, backgroundPids }).toEqual({
      status: 'exited',
      exitCode: 0,
      backgroundPids: [],
    });
    expect(stdout).toMatch(/^(more\n)*first\n(more\n)+$/);
    expect(durationMs).toBeGreaterThanOrEqual(600);
    expect(durationMs).toBeLessThan(20_000);
    expect(living(seconds)).toEqual([]);
  });

  it('is bounded by default too', async () => {
    const { status, durationMs } = await run('while :; do echo x; sleep 0.01; done & exit 2', {
      background: 'kill',
    });
    expect(status).toBe('exited');
    expect(durationMs).toBeLessThan(20_000);
  });
});
