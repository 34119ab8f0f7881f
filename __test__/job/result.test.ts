import { describe, expect, it } from 'vitest';
import { BashJob, bash } from '../../index.js';
import { within } from '../support/slowness.mjs';

describe('the result of a job', () => {
  it.each([
    ['output', { command: 'echo hi' }, '/', false],
    ['both streams', { command: 'echo out; echo err >&2; exit 4' }, '/', false],
    ['cmd', { cmd: 'echo c' }, '/', false],
    ['more output than is kept', { command: 'seq 100000' }, '/', false],
    ['a death by signal', { command: 'kill -KILL $$' }, '/', false],
    ['a missing command', {}, '/', false],
    ['a missing directory', { command: 'true' }, '/nowhere', false],
    ['a refusal', { command: 'rm x' }, '/', true],
    ['a wrong syntax', { command: "ls '" }, '/', true],
    ['a NUL', { command: 'a\0b' }, '/', false],
    ['invalid bytes', { command: "printf '\\377\\342\\202'" }, '/', false],
  ])('has the answer of bash() to %s', async (_, args, cwd, safeMode) => {
    const { output } = await new BashJob(args, cwd, safeMode).result;
    expect(output).toBe(await bash(args, cwd, safeMode));
  });

  it('has the answer of bash() to arguments that are no object', async () => {
    expect((await new BashJob(null, '/').result).output).toBe(await bash(null, '/'));
  });

  it('is an error when the arguments throw, as with bash()', async () => {
    const args = {
      get command(): string {
        throw new Error('thrown by the getter');
      },
    };
    expect((await new BashJob(args, '/').result).output).toBe(await bash(args, '/'));
  });

  it('says what was run, where, and how long it took', async () => {
    const { command, cwd, pid, durationMs } = await new BashJob({ command: ' echo hi ' }, '/tmp').result;
    expect({ command, cwd }).toEqual({ command: ' echo hi ', cwd: '/tmp' });
    expect(pid).toBeGreaterThan(0);
    expect(durationMs).toBeGreaterThan(0);
  });

  it('has each stream on its own', async () => {
    const { stdout, stderr, totalBytes, truncated } = await new BashJob(
      { command: 'echo é; echo err >&2' },
      '/',
    ).result;
    expect({ stdout, stderr, totalBytes, truncated }).toEqual({
      stdout: 'é\n',
      stderr: 'err\n',
      totalBytes: { stdout: 3, stderr: 4 },
      truncated: false,
    });
  });

  it('counts what was written beyond what is kept', async () => {
    const { stdout, totalBytes, truncated } = await new BashJob({ command: 'head -c 5000000 /dev/zero' }, '/')
      .result;
    expect({ kept: stdout.length, totalBytes, truncated }).toEqual({
      kept: 102_404,
      totalBytes: { stdout: 5_000_000, stderr: 0 },
      truncated: true,
    });
  });

  it('has the output that came before a timeout', async () => {
    const { output, status } = await new BashJob({ command: 'echo early; exec sleep 60' }, '/', false, {
      timeout: within(500),
    }).result;
    expect({ status, output }).toEqual({
      status: 'timeout',
      output: `early\n\n[Process timed out after ${within(500) / 1000}s and was terminated]\n[Exit code: 143]`,
    });
  });

  it('has no exit code, process number or signal when nothing was run', async () => {
    const { exitCode, pid, signal, error } = await new BashJob({ command: 'true' }, '/nowhere').result;
    expect({ exitCode, pid, signal }).toEqual({ exitCode: null, pid: null, signal: null });
    expect(error?.message).toMatch(/^spawn \S+ ENOENT$/);
  });

  it('is there without any listener', async () => {
    expect((await new BashJob({ command: 'echo hi' }, '/').result).stdout).toBe('hi\n');
  });
});
