import { describe, expect, it } from 'vitest';
import { INDEX, runNode } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const IMPORT = `import { run, Jobs, jobs } from ${JSON.stringify(INDEX)};`;

async function outputOf(program: string, seconds = ''): Promise<{ code: number | null; stdout: string }> {
  const { code, stdout, stderr } = await runNode(`${IMPORT}\n${program}`, { tag: seconds });
  expect(stderr).toBe('');
  return { code, stdout };
}

describe('Node stays alive', () => {
  it('until the answer of run() has come', async () => {
    expect(
      await outputOf("run('sleep 0.4; echo hi').then(({ stdout }) => console.log(stdout.trim()));"),
    ).toEqual({
      code: 0,
      stdout: 'hi\n',
    });
  });

  it('until a job of a table is over', async () => {
    const program = "jobs.start('sleep 0.4; exit 3').on('exit', (code) => console.log(code));";
    expect(await outputOf(program)).toEqual({ code: 0, stdout: '3\n' });
  });

  it('until the jobs that are waited for are over, though they are in the background', async () => {
    const program = `
      const { jobId } = await run('sleep 0.4; exit 3', { onTimeout: 'background', timeout: 0 });
      jobs.wait(jobId).then(({ finished }) => console.log(finished[0].exitCode));
    `;
    expect(await outputOf(program)).toEqual({ code: 0, stdout: '3\n' });
  });

  it('until the waiting for jobs has its timeout', async () => {
    const seconds = tag();
    const program = `
      const { jobId } = await run('exec sleep ' + TAG, { onTimeout: 'background', timeout: 0 });
      jobs.wait(jobId, { timeout: 300 }).then(({ status }) => console.log(status));
    `;
    expect(await outputOf(program, seconds)).toEqual({ code: 0, stdout: 'timeout\n' });
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('while a caller awaits the result of a background job', async () => {
    const program = `
      const { jobId } = await run('sleep 0.4; exit 3', { onTimeout: 'background', timeout: 0 });
      jobs.get(jobId).result.then(({ exitCode }) => console.log(exitCode));
    `;
    expect(await outputOf(program)).toEqual({ code: 0, stdout: '3\n' });
  });

  it('for a background job after its ref()', async () => {
    const program = `
      const { jobId } = await run('sleep 0.4; exit 3', { onTimeout: 'background', timeout: 0 });
      jobs.get(jobId).ref().on('exit', (code) => console.log(code));
    `;
    expect(await outputOf(program)).toEqual({ code: 0, stdout: '3\n' });
  });

  it('until a table is disposed of', async () => {
    const seconds = tag();
    const program = `
      await run('exec sleep ' + TAG, { onTimeout: 'background', timeout: 0 });
      jobs.dispose().then(() => console.log('disposed'));
    `;
    expect(await outputOf(program, seconds)).toEqual({ code: 0, stdout: 'disposed\n' });
    await until(() => living(seconds).length === 0, 'none is left');
  });
});

describe('Node does not stay alive', () => {
  it('for a job after its unref(), and the job is killed', async () => {
    const seconds = tag();
    const program = `
      const job = jobs.start('exec sleep ' + TAG).unref();
      job.on('exit', () => console.log('exit'));
      await until(() => living('sleep\\0' + TAG).length === 1, 'it sleeps');
    `;
    expect(await outputOf(program, seconds)).toEqual({ code: 0, stdout: '' });
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('for a command that run() has left to a table', async () => {
    const seconds = tag();
    const program = `
      const { status } = await run('exec sleep ' + TAG, { onTimeout: 'background', timeout: 300 });
      console.log(status);
    `;
    expect(await outputOf(program, seconds)).toEqual({ code: 0, stdout: 'background\n' });
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('for what run() has had adopted', async () => {
    const seconds = tag();
    const program = `
      const { jobId } = await run('sleep ' + TAG + ' >/dev/null 2>&1 &', { background: 'adopt' });
      console.log(jobs.get(jobId).status);
    `;
    expect(await outputOf(program, seconds)).toEqual({ code: 0, stdout: 'running\n' });
    await until(() => living(seconds).length === 0, 'none is left');
  });

  it('for the retention of a job that is over', async () => {
    const program = `
      await jobs.start('true').result;
      const before = performance.now();
      process.on('exit', () => console.log(performance.now() - before < 10_000));
    `;
    expect(await outputOf(program)).toEqual({ code: 0, stdout: 'true\n' });
  });

  it('for an open standard input of a job that is over', async () => {
    const program = `
      const job = jobs.start('exit 3', { stdin: 'pipe' });
      job.stdin.write('x');
      console.log((await job.result).exitCode);
    `;
    expect(await outputOf(program)).toEqual({ code: 0, stdout: '3\n' });
  });

  it('for a waiting that was aborted', async () => {
    const seconds = tag();
    const program = `
      const { jobId } = await run('exec sleep ' + TAG, { onTimeout: 'background', timeout: 0 });
      const controller = new AbortController();
      const waiting = jobs.wait(jobId, { signal: controller.signal, timeout: 2_000_000 });
      controller.abort();
      console.log((await waiting).status);
    `;
    expect(await outputOf(program, seconds)).toEqual({ code: 0, stdout: 'aborted\n' });
  });

  it('for an empty wait(), a dispose() of nothing, or the import', async () => {
    const program = "await jobs.wait(); await jobs.dispose(); new Jobs(); console.log('end');";
    expect(await outputOf(program)).toEqual({ code: 0, stdout: 'end\n' });
  });
});
