import { describe, expect, it } from 'vitest';
import { BashJob } from '../../index.js';
import { EventLog } from '../support/event-log.js';

describe('the data of a job', () => {
  it('says which stream it comes from', async () => {
    const job = new BashJob({ command: 'echo out; echo err >&2' }, '/');
    const received = new EventLog(job);
    await job.result;
    expect({ out: received.text('stdout'), err: received.text('stderr') }).toEqual({
      out: 'out\n',
      err: 'err\n',
    });
  });

  it('has the order in which each stream was written', async () => {
    const job = new BashJob(
      { command: 'i=0; while [ $i -lt 500 ]; do echo $i; echo $i >&2; i=$((i+1)); done' },
      '/',
    );
    const received = new EventLog(job);
    await job.result;
    const lines = Array.from({ length: 500 }, (_, index) => `${index}\n`).join('');
    expect({ out: received.text('stdout'), err: received.text('stderr') }).toEqual({
      out: lines,
      err: lines,
    });
  });

  it('has the order of both streams when there is time between the writes', async () => {
    const job = new BashJob(
      { command: 'for i in 1 2 3; do echo o$i; sleep 0.3; echo e$i >&2; sleep 0.3; done' },
      '/',
    );
    const received = new EventLog(job);
    await job.result;
    expect(received.text()).toBe('o1\ne1\no2\ne2\no3\ne3\n');
  });

  it('comes while the command runs', async () => {
    const job = new BashJob({ command: 'echo early; exec sleep 60' }, '/');
    const early = await new Promise((resolve) => {
      job.once('data', (text) => resolve([text, job.status]));
    });
    job.kill('SIGKILL');
    await job.result;
    expect(early).toEqual(['early\n', 'running']);
  });

  it('never comes after the exit', async () => {
    const jobs = Array.from({ length: 20 }, () => new BashJob({ command: 'seq 20000; seq 20000 >&2' }, '/'));
    const all = jobs.map((job) => new EventLog(job));
    await Promise.all(jobs.map((job) => job.result));
    // Late output would come within some turns of the event loop.
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    for (const { names } of all) expect(names.indexOf('exit')).toBe(names.length - 1);
  });

  it('goes on past the limit of the result', async () => {
    const job = new BashJob({ command: 'seq 100000' }, '/');
    const received = new EventLog(job);
    const { truncated, stdout } = await job.result;
    expect({ truncated, kept: stdout.length }).toEqual({ truncated: true, kept: 102_404 });
    expect(received.text()).toBe(Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join(''));
  });
});
