import { describe, expect, it } from 'vitest';
import { type Job, type JobOptions, Jobs, type OutputChunk } from '../../index.js';
import { EventLog } from '../support/event-log.js';
import { until } from '../support/processes.mjs';

async function record(command: string, options?: JobOptions): Promise<{ job: Job; received: EventLog }> {
  const table = new Jobs();
  const job = table.start(command, options);
  const received = new EventLog(job);
  await job.result;
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  return { job, received };
}

describe('a job of a table', () => {
  it('reports its output as it comes, by streams', async () => {
    const { received } = await record('echo out; sleep 0.1; echo err >&2');
    expect(received.chunks).toEqual([
      { stream: 'stdout', text: 'out\n' },
      { stream: 'stderr', text: 'err\n' },
    ]);
  });

  it('reports its output while it runs', async () => {
    await using table = new Jobs();
    const job = table.start('echo early; exec sleep 60');
    expect(
      await new Promise((resolve) => {
        job.once('data', (text, stream) => resolve([text, stream, job.status]));
      }),
    ).toEqual(['early\n', 'stdout', 'running']);
  });

  it('reports all of a flood to a listener of the same turn', async () => {
    const { received } = await record('seq 300000; seq 1000 >&2');
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('');
    expect(received.text('stdout') === lines(300_000)).toBe(true);
    expect(received.text('stderr') === lines(1_000)).toBe(true);
  });

  it('reports its end once, last', async () => {
    const { job, received } = await record('echo hi; exit 3');
    expect(received.names).toEqual(['data', 'exit']);
    expect(received.exits).toEqual([[3, null, await job.result]]);
    expect(received.exits[0]?.[2]).toBe(await job.result);
  });

  it('reports a death by signal', async () => {
    const { job, received } = await record('kill -KILL $$');
    expect(received.exits).toEqual([[null, 'SIGKILL', await job.result]]);
  });

  it.each<[string, JobOptions, string]>([
    ['a launch that failed', { cwd: '/nowhere' }, 'failed'],
    ['a signal that had fired', { signal: AbortSignal.abort() }, 'aborted'],
  ])('reports %s as its end', async (_, options, status) => {
    const { received } = await record('true', options);
    expect(received.names).toEqual(['exit']);
    expect(received.exits.map(([code, signal, result]) => [code, signal, result.status])).toEqual([
      [null, null, status],
    ]);
  });

  it('can be iterated over', async () => {
    await using table = new Jobs();
    const chunks: OutputChunk[] = [];
    for await (const chunk of table.start('echo out; sleep 0.1; echo err >&2')) chunks.push(chunk);
    expect(chunks).toEqual([
      { stream: 'stdout', text: 'out\n' },
      { stream: 'stderr', text: 'err\n' },
    ]);
  });

  it('reports merged output as stdout', async () => {
    const { received } = await record('echo out; echo err >&2; echo out', { output: { merge: true } });
    expect({ out: received.text('stdout'), err: received.text('stderr') }).toEqual({
      out: 'out\nerr\nout\n',
      err: '',
    });
  });

  it('goes on when a listener throws', async () => {
    const errors: unknown[] = [];
    const listen = (error: unknown) => errors.push(error);
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', listen);
    try {
      await using table = new Jobs();
      const job = table.start('echo hi; exit 3');
      job.on('data', () => {
        throw new Error('in data');
      });
      job.on('exit', () => {
        throw new Error('in exit');
      });
      const received = new EventLog(job);
      const { exitCode } = await job.result;
      await until(() => errors.length === 2, 'both errors were thrown');
      expect({ exitCode, names: received.names, list: table.list() }).toEqual({
        exitCode: 3,
        names: ['data', 'exit'],
        list: [job],
      });
    } finally {
      process.off('uncaughtException', listen);
      for (const listener of others) process.on('uncaughtException', listener);
    }
    expect(errors.map((error) => (error as Error).message)).toEqual(['in data', 'in exit']);
  });

  it('has its result, its end and its table agree in the exit listener', async () => {
    await using table = new Jobs();
    const job = table.start('exit 3');
    const seen = await new Promise((resolve) => {
      job.on('exit', (_code, _signal, { jobId }) =>
        resolve({ jobId, status: job.status, kill: job.kill(), listed: table.get(job.id) === job }),
      );
    });
    expect(seen).toEqual({ jobId: job.id, status: 'exited', kill: false, listed: true });
  });
});
