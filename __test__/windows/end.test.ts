import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { FOREVER, isAlive, node, TREE, untilGone } from './support.ts';

const tree = (depth: number) => ({ words: node(TREE, `${depth}`), env: { TREE } });
const pidsIn = (text: string) => [...text.matchAll(/^\d+$/gm)].map(([pid]) => Number(pid));

describe('the end of a command on Windows', () => {
  it('comes with its timeout', async () => {
    const { status, signal, exitCode } = await run(node(FOREVER), { timeout: 1000 });
    expect({ status, signal, exitCode }).toEqual({ status: 'timeout', signal: 'SIGTERM', exitCode: null });
  });

  it('comes with its idle timeout', async () => {
    const { status } = await run(node(`console.log('x'); ${FOREVER}`), { idleTimeout: 1000 });
    expect(status).toBe('idleTimeout');
  });

  it('comes with its signal to abort', async () => {
    const { status } = await run(node(FOREVER), { signal: AbortSignal.timeout(1000) });
    expect(status).toBe('aborted');
  });

  it.each(['SIGTERM', 'SIGKILL', 'SIGINT'] as const)('names the signal of kill(): %s', async (signal) => {
    const jobs = new Jobs();
    const job = jobs.start(node(`console.log('x'); process.on('SIGINT', () => {}); ${FOREVER}`), {
      forceKillAfterDelay: 500,
    });
    await once(job, 'data');
    job.kill(signal);
    const result = await job.result;
    expect([result.status, result.signal]).toEqual(['signaled', signal]);
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
    const program = `
      const { jobs } = require(${JSON.stringify(`${process.cwd()}/index.js`)});
      const job = jobs.start([process.execPath, '-e', process.env.TREE, '1']);
      job.on('data', (text) => process.stdout.write(text));`;
    const host = spawn(process.execPath, ['-e', program], {
      env: { ...process.env, TREE },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    for await (const chunk of host.stdout) {
      text += chunk;
      if (text.includes('ready')) host.kill('SIGKILL');
    }
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
