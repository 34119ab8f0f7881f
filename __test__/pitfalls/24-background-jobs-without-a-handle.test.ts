import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

describe('a background job', () => {
  it('is ended by its timeout', async () => {
    const seconds = tag();
    const table = new Jobs();
    const { id } = table.start(`echo hi; sleep ${seconds} & sleep ${seconds}`, { timeout: 2_000 });
    const { finished } = await table.wait(id);
    expect(finished).toMatchObject([{ jobId: id, status: 'timeout', signal: 'SIGTERM', stdout: 'hi\n' }]);
    expect(living(seconds)).toEqual([]);
    await table.dispose();
  });

  it('that run() has left is ended by its time in the background', async () => {
    const seconds = tag();
    const table = new Jobs();
    const answer = await run(`echo hi; sleep ${seconds}`, {
      timeout: 1_500,
      onTimeout: 'background',
      backgroundTimeout: 300,
      jobs: table,
    });
    expect(answer).toMatchObject({ status: 'background', stdout: 'hi\n', exitCode: null });
    const { finished } = await table.wait(answer.jobId as string);
    expect(finished).toMatchObject([{ jobId: answer.jobId, status: 'timeout', stdout: 'hi\n' }]);
    expect(finished[0]?.durationMs).toBeGreaterThanOrEqual(1_790);
    expect(living(seconds)).toEqual([]);
    await table.dispose();
  });

  it('can be read and killed by its id alone', async () => {
    const seconds = tag();
    const table = new Jobs();
    const { jobId } = await run(`echo one; echo two; exec sleep ${seconds}`, {
      timeout: 0,
      onTimeout: 'background',
      jobs: table,
    });
    const id = jobId as string;
    await until(() => living(`sleep\0${seconds}`).length === 1, 'it sleeps');
    expect(table.read(id).text).toBe('one\ntwo\n');
    expect(table.read(id, 4).text).toBe('two\n');
    expect(table.list().map((job) => [job.id, job.status, job.isBackground])).toEqual([
      [id, 'running', true],
    ]);
    expect(table.kill(id)).toBe(true);
    const { status, finished, pending } = await table.wait(id);
    expect({ status, pending }).toEqual({ status: 'done', pending: [] });
    expect(finished).toMatchObject([
      { jobId: id, status: 'signaled', signal: 'SIGTERM', stdout: 'one\ntwo\n' },
    ]);
    expect(living(seconds)).toEqual([]);
    expect(table.kill(id)).toBe(false);
    await table.dispose();
  });

  it('without a reference to it is still in its table after garbage collections', async () => {
    const table = new Jobs();
    const ids = Array.from({ length: 10 }, (_, index) => table.start(`echo ${index}`).id);
    for (let count = 0; count < 200; count++) new Array(100_000).fill(count);
    const { finished } = await table.wait(ids);
    expect(finished.map(({ jobId, stdout }) => [jobId, stdout])).toEqual(
      ids.map((id, index) => [id, `${index}\n`]),
    );
    expect(ids.map((id) => table.get(id)?.status)).toEqual(ids.map(() => 'exited'));
    await table.dispose();
  });
});
