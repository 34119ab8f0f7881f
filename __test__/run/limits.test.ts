import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LimitOptions, type RunResult, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const directory = temporaryDirectory();

/** The soft and the hard limits of this process, or of a command. */
const table = (text: string): Record<string, [string, string]> =>
  Object.fromEntries(
    text
      .split('\n')
      .slice(1)
      .map((line) => /^(Max [a-z ]+?)\s{2,}(\S+)\s+(\S+)/.exec(line))
      .filter((parts) => parts !== null)
      .map(([, name, soft, hard]) => [name, [soft, hard]]),
  );
const ours = () => table(readFileSync('/proc/self/limits', 'utf8'));
async function theirs(limits: LimitOptions): Promise<Record<string, [string, string]>> {
  const { stdout } = await run(['cat', '/proc/self/limits'], { limits });
  const all = table(stdout);
  // RLIMIT_LOCKS, which Linux ignores, is the tag of a job.
  delete all['Max file locks'];
  return all;
}
function host(): Record<string, [string, string]> {
  const all = ours();
  delete all['Max file locks'];
  return all;
}

const end = ({ status, exitCode, signal }: RunResult) => ({ status, exitCode, signal });

describe('limits', () => {
  it('change nothing by default', async () => {
    expect(await theirs({})).toEqual(host());
  });

  it.each([
    ['memory', 1_000_000_000, 'Max address space', '1000000000', '1000000000'],
    ['processes', 500, 'Max processes', '500', '500'],
    ['fileSize', 12_345, 'Max file size', '12345', '12345'],
    ['cpu', 7_000, 'Max cpu time', '7', '8'],
    ['cpu', 7_001, 'Max cpu time', '8', '9'],
    ['cpu', 0.5, 'Max cpu time', '1', '2'],
    ['openFiles', 64, 'Max open files', '64', '64'],
  ] as const)('set the kernel limit of %s %d alone', async (name, value, kernel, soft, hard) => {
    const before = ours();
    expect(await theirs({ [name]: value })).toEqual({ ...host(), [kernel]: [soft, hard] });
    expect(ours()).toEqual(before);
  });

  it('may be set all at once, and leave the limits of Node alone', async () => {
    const before = ours();
    const limits = { memory: 2 ** 32, processes: 600, fileSize: 2 ** 33, cpu: 2_000, openFiles: 70 };
    expect(await theirs(limits)).toEqual({
      ...host(),
      'Max address space': ['4294967296', '4294967296'],
      'Max processes': ['600', '600'],
      'Max file size': ['8589934592', '8589934592'],
      'Max cpu time': ['2', '3'],
      'Max open files': ['70', '70'],
    });
    expect(ours()).toEqual(before);
  });

  it('that Node may not have itself are what Node may have', async () => {
    const { 'Max open files': files } = await theirs({ openFiles: Number.MAX_SAFE_INTEGER });
    const hard = ours()['Max open files'][1];
    expect(files).toEqual([hard, hard]);
  });

  it('hold for each process that the command starts', async () => {
    const { stdout } = await run('sh -c \'sh -c "ulimit -n"\'', { limits: { openFiles: 61 } });
    expect(stdout).toBe('61\n');
  });
});

describe('a command over its limit', () => {
  it('of memory gets no more', async () => {
    const script = 'my $x = "a" x 400_000_000; print "too much"';
    const result = await run(['perl', '-e', script], { limits: { memory: 200_000_000 } });
    expect(result.status).toBe('exited');
    expect(result.exitCode).toBeGreaterThan(0);
    expect([result.stdout, result.stderr]).toEqual(['', expect.stringContaining('Out of memory')]);
  });

  it('of the size of a file is killed by SIGXFSZ', async () => {
    const path = join(directory, 'large');
    const result = await run(['dd', 'if=/dev/zero', `of=${path}`, 'bs=100', 'count=50', 'status=none'], {
      limits: { fileSize: 1_000 },
    });
    expect(end(result)).toEqual({ status: 'signaled', exitCode: null, signal: 'SIGXFSZ' });
    expect(statSync(path).size).toBe(1_000);
  });

  it('of the size of a file may write any amount to its output, also with a spill', async () => {
    const result = await run('head -c 300000 /dev/zero', {
      limits: { fileSize: 1 },
      output: { spill: true },
    });
    expect(end(result)).toEqual({ status: 'exited', exitCode: 0, signal: null });
    expect(result.spill).toMatchObject({ bytes: 300_000, complete: true });
  });

  it('of processor time is killed by SIGXCPU', async () => {
    const result = await run('while :; do :; done', { shell: '/bin/dash', limits: { cpu: 1_000 } });
    expect(end(result)).toEqual({ status: 'signaled', exitCode: null, signal: 'SIGXCPU' });
    expect(result.durationMs).toBeGreaterThan(900);
  });

  it('of processor time that ignores SIGXCPU is killed', async () => {
    const result = await run("trap '' XCPU; while :; do :; done", {
      shell: '/bin/dash',
      limits: { cpu: 1_000 },
    });
    expect(end(result)).toEqual({ status: 'signaled', exitCode: null, signal: 'SIGKILL' });
    expect((result.usage?.userMs ?? 0) + (result.usage?.systemMs ?? 0)).toBeGreaterThan(1_500);
  });

  it('of open files opens no more', async () => {
    const script = 'my @f; while (open(my $f, "<", "/dev/null")) { push @f, $f } print scalar(@f), " $!"';
    const { stdout } = await run(['perl', '-e', script], { limits: { openFiles: 20 } });
    expect(stdout).toMatch(/^1\d Too many open files$/);
  });

  it('of processes starts no more', { tags: ['root', 'setpriv'] }, async () => {
    // A user of its own: the limit counts all processes of the user.
    const command = ['setpriv', '--reuid=61234', '--clear-groups', '/bin/sh', '-c', '/bin/echo x; echo y'];
    const bound = await run(command, { limits: { processes: 1 } });
    expect(bound.stdout).not.toContain('x');
    expect(bound.stderr).toMatch(/fork/i);
    expect((await run(command)).stdout).toBe('x\ny\n');
  });
});
