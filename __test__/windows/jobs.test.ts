import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BashJob, Jobs, run } from '../../index.js';
import { FOREVER, node } from './support.ts';

describe('jobs on Windows', () => {
  it('are read while they run', async () => {
    const jobs = new Jobs();
    const job = jobs.start(node(`console.log('started'); ${FOREVER}`));
    await once(job, 'data');
    expect(jobs.read(job.id).text).toBe('started\n');
    await jobs.dispose();
    expect((await job.result).status).toBe('signaled');
  });

  it('take input while they run', async () => {
    const jobs = new Jobs();
    const job = jobs.start(node('process.stdin.pipe(process.stdout)'), { stdin: 'pipe' });
    job.write('one\n');
    await once(job, 'data');
    job.end('two\n');
    expect((await job.result).stdout).toBe('one\ntwo\n');
  });

  it('go on in the background after a timeout', async () => {
    const jobs = new Jobs();
    const result = await run(node(`console.log('x'); ${FOREVER}`), {
      timeout: 1500,
      onTimeout: 'background',
      jobs,
    });
    expect(result.status).toBe('background');
    expect(jobs.list().length).toBe(1);
    await jobs.dispose();
  });

  it('run 200 at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => run(['cmd.exe', '/d', '/c', `exit ${index}`])),
    );
    expect(results.map(({ exitCode }) => exitCode)).toEqual(results.map((_, index) => index));
  }, 300_000);

  it('write all of their output to a file', async () => {
    const write = "for (let i = 0; i < 20000; i++) console.log('line ' + i)";
    const { spillPath } = await run(node(write), { output: { maxBytes: 1000, spill: true } });
    expect(spillPath).not.toBeNull();
    expect(existsSync(String(spillPath))).toBe(true);
    expect(readFileSync(String(spillPath), 'utf8').split('\n').length).toBe(20_001);
  });

  it('give a view of their output', async () => {
    const write = "for (let i = 0; i < 5000; i++) console.log('line ' + i); console.log('error: broken')";
    const { view } = await run(node(write), { output: { view: { maxBytes: 2000 } } });
    expect(view?.text).toContain('error: broken');
  });

  it('emit the output of a BashJob', async () => {
    const job = new BashJob({ command: 'echo one; echo two >&2' }, process.cwd());
    const heard: Record<string, string> = { stdout: '', stderr: '' };
    job.on('data', (chunk: string, stream: string) => {
      heard[stream] += chunk;
    });
    const { exitCode, status } = await job.result;
    expect({ exitCode, status, ...heard }).toEqual({
      exitCode: 0,
      status: 'exited',
      stdout: 'one\n',
      stderr: 'two\n',
    });
  });
});
