import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BashJob, type OutputChunk } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { deliberateDelay, nothingFor } from '../support/waits.mjs';

const root = temporaryDirectory();

async function all(job: AsyncIterable<OutputChunk>): Promise<OutputChunk[]> {
  const chunks: OutputChunk[] = [];
  for await (const chunk of job) chunks.push(chunk);
  return chunks;
}

function text(chunks: OutputChunk[], stream?: string): string {
  return chunks
    .filter((chunk) => stream === undefined || chunk.stream === stream)
    .map((chunk) => chunk.text)
    .join('');
}

describe('the iteration over a job', () => {
  it('has the whole output', async () => {
    const chunks = await all(new BashJob({ command: 'seq 300000; seq 1000 >&2' }, '/'));
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('');
    expect(text(chunks, 'stdout')).toBe(lines(300_000));
    expect(text(chunks, 'stderr')).toBe(lines(1_000));
  });

  it('ends without a chunk when there is no output', async () => {
    expect(await all(new BashJob({ command: 'true' }, '/'))).toEqual([]);
  });

  it('ends when nothing could be started', async () => {
    expect(await all(new BashJob({ command: 'true' }, '/nowhere'))).toEqual([]);
  });

  it('ends when the job is killed before its start', async () => {
    const job = new BashJob({ command: 'echo hi' }, '/');
    const chunks = all(job);
    job.kill();
    expect(await chunks).toEqual([]);
  });

  it('does not kill the job by its break', async () => {
    const file = join(root, 'go-on');
    const job = new BashJob({ command: `echo 1; until [ -e ${file} ]; do sleep 0.02; done; echo 2` }, '/');
    for await (const chunk of job) {
      expect(chunk).toEqual({ stream: 'stdout', text: '1\n' });
      break;
    }
    writeFileSync(file, '');
    expect((await job.result).output).toBe('1\n2\n\n[Exit code: 0]');
  });

  it('does not slow the job down after its break', async () => {
    const job = new BashJob({ command: 'head -c 20000000 /dev/zero' }, '/');
    for await (const _ of job) break;
    expect((await job.result).totalBytes.stdout).toBe(20_000_000);
  });

  it('does not kill the job by an error in its body', async () => {
    const job = new BashJob({ command: 'echo 1; sleep 0.3; echo 2' }, '/');
    await expect(async () => {
      for await (const _ of job) throw new Error('in the body');
    }).rejects.toThrow('in the body');
    expect((await job.result).stdout).toBe('1\n2\n');
  });

  it('that begins late has what comes from then on', async () => {
    const file = join(root, 'second');
    const job = new BashJob({ command: `echo 1; until [ -e ${file} ]; do sleep 0.02; done; echo 2` }, '/');
    await new Promise((resolve) => {
      job.once('data', resolve);
    });
    const late = all(job);
    writeFileSync(file, '');
    expect(text(await late)).toBe('2\n');
    expect((await job.result).stdout).toBe('1\n2\n');
  });

  it('that begins after the end is over at once', async () => {
    const job = new BashJob({ command: 'echo hi' }, '/');
    await job.result;
    expect(await all(job)).toEqual([]);
  });

  it('may take place twice at the same time', async () => {
    const job = new BashJob({ command: 'seq 100000' }, '/');
    const [first, second] = await Promise.all([all(job), all(job)]);
    expect(text(first)).toBe(text(second));
    expect(text(first)).toHaveLength(588_895);
  });

  it('may take place next to a data listener', async () => {
    const job = new BashJob({ command: 'seq 100000' }, '/');
    let received = '';
    job.on('data', (chunk) => {
      received += chunk;
    });
    expect(text(await all(job))).toBe(received);
    expect(received).toHaveLength(588_895);
  });

  it('answers to next() calls that wait at the same time in order', async () => {
    const job = new BashJob({ command: 'echo 1; sleep 0.3; echo 2' }, '/');
    const iterator = job[Symbol.asyncIterator]();
    const answers = await Promise.all([iterator.next(), iterator.next(), iterator.next()]);
    expect(answers).toEqual([
      { done: false, value: { stream: 'stdout', text: '1\n' } },
      { done: false, value: { stream: 'stdout', text: '2\n' } },
      { done: true, value: undefined },
    ]);
  });

  it('gives what it still has after the end of the job', async () => {
    const job = new BashJob({ command: 'echo hi' }, '/');
    const iterator = job[Symbol.asyncIterator]();
    await job.result;
    expect(await iterator.next()).toEqual({ done: false, value: { stream: 'stdout', text: 'hi\n' } });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});

describe('a reader that falls behind', () => {
  it('slows the command down', async () => {
    const job = new BashJob({ command: 'exec yes' }, '/', false, { timeout: 2_000 });
    const iterator = job[Symbol.asyncIterator]();
    await iterator.next();
    // Without a reader and backpressure, `yes` would write gigabytes before its timeout.
    const { totalBytes, status } = await job.result;
    expect(status).toBe('timeout');
    expect(totalBytes.stdout).toBeLessThan(4 * 1024 * 1024);
  });

  it('gets all of it in the end', async () => {
    let length = 0;
    for await (const chunk of new BashJob({ command: 'head -c 3000000 /dev/zero' }, '/')) {
      length += chunk.text.length;
      await deliberateDelay(5);
    }
    expect(length).toBe(3_000_000);
  });

  it('lets the command go on when it breaks off', async () => {
    const file = join(root, 'written');
    const job = new BashJob({ command: `head -c 5000000 /dev/zero; touch ${file}` }, '/');
    const iterator = job[Symbol.asyncIterator]();
    await iterator.next();
    // The pipe is full soon, and the command waits.
    await nothingFor(300);
    const wasWaiting = !existsSync(file);
    await iterator.return?.();
    expect({ wasWaiting, total: (await job.result).totalBytes.stdout }).toEqual({
      wasWaiting: true,
      total: 5_000_000,
    });
  });
});
