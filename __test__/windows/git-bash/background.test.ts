import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../../index.js';
import { isAlive, untilGone } from '../support.ts';
import { NODE, numbersIn } from './support.ts';

/**
 * Starts a program in the background without the output of the command, and prints the pid that Windows has
 * for it. Each program that a process of MSYS2 executes is another process of Windows.
 */
const inBackground = (prefix = '') => `
  ${prefix} tail -f /dev/null >/dev/null 2>&1 </dev/null &
  until read -r name </proc/$!/exename; [[ $name == */tail* ]]; do :; done
  read -r pid </proc/$!/winpid; echo $pid`;

describe('a process in the background of Git Bash', () => {
  it('lives on, and is reported by the pid that Windows has for it', async () => {
    const jobs = new Jobs();
    const { status, stdout, backgroundPids } = await run(inBackground(), {
      background: 'adopt',
      jobs,
    });
    const [pid] = numbersIn(stdout);
    expect(status).toBe('exited');
    expect(backgroundPids).toContain(pid);
    expect(isAlive(Number(pid))).toBe(true);
    await jobs.dispose();
    await untilGone(...backgroundPids);
  });

  it.each(['', 'nohup'])('ends with its command if the call says so: %s', async (prefix) => {
    const { stdout, backgroundPids } = await run(`${inBackground(prefix)}; disown $!`, {
      background: 'kill',
    });
    expect(backgroundPids).toEqual([]);
    const pids = numbersIn(stdout);
    expect(pids.length).toBe(1);
    await untilGone(...pids);
  });

  it('that listens on a port is ready', async () => {
    const jobs = new Jobs();
    const listen = 'require("node:http").createServer().listen(0, () => console.log("listens"))';
    const job = jobs.start(`${NODE} -e '${listen}' & wait`);
    expect(await job.ready({ port: true })).toBeTruthy();
    await jobs.dispose();
  });

  it('can be one that the timeout of its command has made', async () => {
    const jobs = new Jobs();
    const command = 'echo started; tail -f /dev/null';
    const result = await run(command, { timeout: 2000, onTimeout: 'background', jobs });
    expect(result).toMatchObject({ status: 'background', stdout: 'started\n' });
    const pids = result.backgroundPids;
    await jobs.dispose();
    await untilGone(...pids);
  });
});
