import { describe, expect, it } from 'vitest';
import { type CommandOptions, Jobs } from '../../index.js';
import { until } from '../support/processes.mjs';

const table = new Jobs({ maxRunning: 20 });

const ENDS: Array<[string, CommandOptions, string, (end: { kill(): void; abort(): void }) => void]> = [
  ['its timeout', { timeout: 500 }, 'timeout', () => {}],
  ['its silence', { idleTimeout: 500 }, 'idleTimeout', () => {}],
  ['an abort', {}, 'aborted', (end) => end.abort()],
  ['kill()', {}, 'signaled', (end) => end.kill()],
];

describe('a command that is ended', () => {
  it.each(ENDS)('by %s keeps its output and reports the cause', async (_, options, status, end) => {
    const controller = new AbortController();
    const job = table.start('printf "one\\npart"; printf oops >&2; exec sleep 60', {
      signal: controller.signal,
      ...options,
    });
    await until(() => job.read().text.length === 12, 'it has written');
    end({ kill: () => job.kill(), abort: () => controller.abort() });
    const result = await job.result;
    expect(result).toMatchObject({
      status,
      exitCode: null,
      signal: 'SIGTERM',
      stdout: 'one\npart',
      stderr: 'oops',
      truncated: false,
      totalBytes: { stdout: 8, stderr: 4 },
      error: null,
    });
    expect(result.output).toContain('one\npart');
    expect(result.output).toContain('oops');
  });

  it('keeps what it says on SIGTERM', async () => {
    const job = table.start("trap 'echo bye; exit 9' TERM; echo hi; while :; do sleep 0.02; done", {
      timeout: 500,
    });
    const { status, exitCode, stdout } = await job.result;
    expect({ status, exitCode, stdout }).toEqual({ status: 'timeout', exitCode: 9, stdout: 'hi\nbye\n' });
  });
});
