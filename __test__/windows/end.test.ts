import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Jobs, type RunResult, run } from '../../index.js';
import { CLEANING_TREE, FOREVER, isAlive, killedHost, node, TREE, untilGone } from './support.ts';

/** The grace of a program that cleans up (ms): far more than it takes on a busy machine. */
const PLENTY = 50_000;

/** A program that says when it is ready for Ctrl-C, and runs `code` then. */
const onCtrlC = (code: string) => `process.on('SIGINT', () => { ${code} }); console.log('ready'); ${FOREVER}`;

/** Starts a program, and sends it a signal when it is ready. */
async function killed(program: string, signal: NodeJS.Signals, grace = PLENTY): Promise<RunResult> {
  const jobs = new Jobs();
  const job = jobs.start(node(program), { forceKillAfterDelay: grace });
  await once(job, 'data');
  job.kill(signal);
  const result = await job.result;
  await jobs.dispose();
  return result;
}

const tree = (depth: number) => ({ words: node(TREE, `${depth}`), env: { TREE } });
const pidsIn = (text: string) => [...text.matchAll(/^\d+$/gm)].map(([pid]) => Number(pid));

describe('the end of a command on Windows', () => {
  it('comes with its timeout', async () => {
    const { status } = await run(node(FOREVER), { timeout: 1000 });
    expect(status).toBe('timeout');
  });

  it('comes with its idle timeout', async () => {
    const { status } = await run(node(`console.log('x'); ${FOREVER}`), { idleTimeout: 1000 });
    expect(status).toBe('idleTimeout');
  });

  it('comes with its signal to abort', async () => {
    const { status } = await run(node(FOREVER), { signal: AbortSignal.timeout(1000) });
    expect(status).toBe('aborted');
  });

  it('names the signal of kill()', async () => {
    const { status, signal } = await killed(onCtrlC(''), 'SIGKILL');
    expect({ status, signal }).toEqual({ status: 'signaled', signal: 'SIGKILL' });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'waits for a program that cleans up at Ctrl-C: %s',
    async (name) => {
      const program = onCtrlC("console.log('cleaned'); process.exit(5);");
      const { status, exitCode, stdout } = await killed(program, name);
      expect({ status, exitCode, stdout }).toEqual({
        status: 'exited',
        exitCode: 5,
        stdout: 'ready\ncleaned\n',
      });
    },
  );

  it('waits likewise at an abort', async () => {
    const jobs = new Jobs();
    const abort = new AbortController();
    const job = jobs.start(node(onCtrlC('process.exit(5);')), { signal: abort.signal });
    await once(job, 'data');
    abort.abort();
    expect(await job.result).toMatchObject({ status: 'aborted', exitCode: 5 });
    await jobs.dispose();
  });

  it('has the signal that was asked for if the program ends by Ctrl-C', async () => {
    const program = onCtrlC('process.reallyExit(0xc000013a | 0);');
    expect(await killed(program, 'SIGTERM')).toMatchObject({ status: 'signaled', signal: 'SIGTERM' });
  });

  it('comes after the grace for a program that ignores Ctrl-C', async () => {
    const result = await killed(onCtrlC(''), 'SIGTERM', 500);
    expect(result).toMatchObject({ status: 'signaled', signal: 'SIGKILL' });
  });

  it('waits for a tree of three processes that each clean up', async () => {
    const jobs = new Jobs();
    const job = jobs.start(node(CLEANING_TREE, '3'), {
      env: { TREE: CLEANING_TREE },
      forceKillAfterDelay: PLENTY,
    });
    for await (const { text } of job) if (text.includes('ready')) break;
    job.kill('SIGTERM');
    const { stdout } = await job.result;
    expect(stdout.match(/cleaned/g)?.length).toBe(4);
    await untilGone(...pidsIn(stdout));
    await jobs.dispose();
  });

  it('takes a tree of three processes along, though each ignores Ctrl-C', async () => {
    const { words, env } = tree(3);
    const { status, stdout } = await run(words, { env, timeout: 8000, forceKillAfterDelay: 500 });
    const pids = pidsIn(stdout);
    expect([status, pids.length]).toEqual(['timeout', 4]);
    await untilGone(...pids);
  });

  it('leaves nothing of a detached process', async () => {
    const program = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(FOREVER)}], { detached: true, stdio: 'ignore' });
      child.unref();
      console.log(child.pid);
      ${FOREVER}`;
    const { stdout } = await run(node(program), { timeout: 3000, forceKillAfterDelay: 500 });
    const pids = pidsIn(stdout);
    expect(pids.length).toBe(1);
    await untilGone(...pids);
  });

  it('comes with the end of Node.js by TerminateProcess', async () => {
    const start = "const job = jobs.start([process.execPath, '-e', process.env.TREE, '1']);";
    const text = await killedHost(start, TREE);
    const pids = pidsIn(text);
    expect(pids.length).toBe(2);
    await untilGone(...pids);
  });

  it('does not come for a process that a job keeps in the background', async () => {
    const jobs = new Jobs();
    const job = jobs.start(node(`console.log(process.pid); ${FOREVER}`));
    await once(job, 'data');
    const [pid] = pidsIn(jobs.read(job.id).text);
    expect(isAlive(Number(pid))).toBe(true);
    job.kill('SIGKILL');
    await job.result;
    await untilGone(Number(pid));
  });
});
