import { describe, expect, it } from 'vitest';
import { run } from '../../../index.js';
import { isAlive, killedHost, untilGone } from '../support.ts';
import { NODE, numbersIn, PLENTY, PRINT_PID, whenReady } from './support.ts';

/** Says when a handler may come, and waits for it. */
const WAITS = 'echo ready; while :; do read -r -t 1 line; done';
/**
 * Three shells, one below the other: each prints its pid, and the last one waits. With wine, a bash that
 * another one has started can't always start a program (`Bad address`), so they are subshells.
 */
const TREE = `${PRINT_PID} (${PRINT_PID} (${PRINT_PID} ${WAITS}); :); :`;

describe('a signal for Git Bash', () => {
  it.each([
    ['SIGTERM', 'TERM'],
    ['SIGINT', 'INT'],
    ['SIGHUP', 'HUP'],
    ['SIGUSR1', 'USR1'],
  ] as const)('is handled by its trap: %s', async (signal, name) => {
    const command = `trap 'echo ${name}; exit 5' ${name}; trap 'echo bye' EXIT; ${WAITS}`;
    const { status, exitCode, stdout } = await whenReady(command, (job) => job.kill(signal));
    expect({ status, exitCode, stdout }).toEqual({
      status: 'exited',
      exitCode: 5,
      stdout: `ready\n${name}\nbye\n`,
    });
  });

  it('ends it without a trap, and is named', async () => {
    const result = await whenReady(WAITS, (job) => job.kill('SIGTERM'));
    expect(result).toMatchObject({ status: 'signaled', signal: 'SIGTERM' });
  });

  it('is followed by SIGKILL after the grace where it is ignored', async () => {
    const result = await whenReady(`trap '' TERM; ${WAITS}`, (job) => job.kill('SIGTERM'), {
      forceKillAfterDelay: 500,
    });
    expect(result).toMatchObject({ status: 'signaled', signal: 'SIGKILL' });
  });

  it('reaches each shell of a tree', async () => {
    const { stdout } = await whenReady(TREE, (job) => job.kill('SIGTERM'));
    const pids = numbersIn(stdout);
    expect(pids.length).toBe(3);
    await untilGone(...pids);
  });

  it('ends a program of Windows that the shell waits for', async () => {
    const command = `${NODE} -e 'console.log("ready"); setInterval(() => {}, 1000)'; echo after`;
    const { signal, stdout } = await whenReady(command, (job) => job.kill('SIGTERM'));
    expect([signal, stdout]).toEqual(['SIGTERM', 'ready\n']);
  });
});

describe('the end of a command of Git Bash', () => {
  it('runs its trap at a timeout', async () => {
    const { status, exitCode, stdout } = await run(`trap 'echo term; exit 5' TERM; ${WAITS}`, {
      timeout: 3000,
      forceKillAfterDelay: PLENTY,
    });
    expect({ status, exitCode, stdout }).toEqual({
      status: 'timeout',
      exitCode: 5,
      stdout: 'ready\nterm\n',
    });
  });

  it('runs its trap at an abort', async () => {
    const abort = new AbortController();
    const command = `trap 'exit 5' TERM; ${WAITS}`;
    const result = await whenReady(command, () => abort.abort(), { signal: abort.signal });
    expect(result).toMatchObject({ status: 'aborted', exitCode: 5 });
  });

  it.each([20, 50, 200])('comes before the grace at an abort while it starts: %d ms', async (delay) => {
    const { status, signal } = await run(WAITS, {
      signal: AbortSignal.timeout(delay),
      forceKillAfterDelay: PLENTY,
    });
    expect({ status, signal }).toEqual({ status: 'aborted', signal: 'SIGTERM' });
  });

  it('takes a tree along that ignores signals', async () => {
    const { stdout } = await whenReady(`trap '' TERM INT; ${TREE}`, (job) => job.kill('SIGTERM'), {
      forceKillAfterDelay: 500,
    });
    const pids = numbersIn(stdout);
    expect(pids.length).toBe(3);
    await untilGone(...pids);
  });

  it('comes with the end of Node.js by TerminateProcess', async () => {
    const start = "const job = jobs.start(process.env.TREE, { stdin: 'pipe' });";
    const text = await killedHost(start, TREE);
    const pids = numbersIn(text);
    expect(pids.length).toBe(3);
    await untilGone(...pids);
  });

  it('leaves the processes of another command alone', async () => {
    await whenReady(`${PRINT_PID} ${WAITS}`, async (other) => {
      await whenReady(WAITS, (job) => job.kill('SIGTERM'));
      const read = other.read();
      const [pid] = numbersIn('text' in read ? read.text : '');
      expect(isAlive(Number(pid))).toBe(true);
      other.kill('SIGKILL');
    });
  });
});
