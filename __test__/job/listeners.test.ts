import type { EventEmitter } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BashJob, jobs } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { blockThread } from '../support/waits.mjs';

const root = temporaryDirectory();
let files = 0;

/** A job that prints 1, waits for `go()`, and prints 2. */
function twoSteps(): { job: BashJob; go: () => void } {
  const file = join(root, `go-${files++}`);
  const job = new BashJob({ command: `echo 1; until [ -e ${file} ]; do sleep 0.02; done; echo 2` }, '/');
  return { job, go: () => writeFileSync(file, '') };
}

describe('a listener', () => {
  it.each(['on', 'addListener', 'prependListener'] as const)(
    'added by %s receives the output',
    async (method) => {
      const job = new BashJob({ command: 'echo hi' }, '/');
      let received = '';
      job[method]('data', (text) => {
        received += text;
      });
      await job.result;
      expect(received).toBe('hi\n');
    },
  );

  it.each(['once', 'prependOnceListener'] as const)('added by %s receives one chunk', async (method) => {
    const { job, go } = twoSteps();
    const received: string[] = [];
    job[method]('data', (text) => {
      received.push(text);
      go();
    });
    expect((await job.result).stdout).toBe('1\n2\n');
    expect(received).toEqual(['1\n']);
  });

  it.each(['on', 'addListener', 'prependListener', 'once', 'prependOnceListener'] as const)(
    'is chained by %s',
    async (method) => {
      const job = new BashJob({ command: 'true' }, '/');
      expect(job[method]('data', () => {})).toBe(job);
      await job.result;
    },
  );

  it('that is prepended is called first', async () => {
    const job = new BashJob({ command: 'echo hi' }, '/');
    const order: string[] = [];
    job.on('data', () => order.push('second'));
    job.prependListener('data', () => order.push('first'));
    await job.result;
    expect(order).toEqual(['first', 'second']);
  });

  it.each(['off', 'removeListener'] as const)('removed by %s is not called any more', async (method) => {
    const { job, go } = twoSteps();
    const received: string[] = [];
    const listener = (text: string) => {
      received.push(text);
      job[method]('data', listener);
      go();
    };
    job.on('data', listener);
    expect((await job.result).stdout).toBe('1\n2\n');
    expect(received).toEqual(['1\n']);
  });

  it('stays when another one is removed', async () => {
    const { job, go } = twoSteps();
    let received = '';
    const other = () => {
      job.off('data', other);
      go();
    };
    job.on('data', other);
    job.on('data', (text) => {
      received += text;
    });
    await job.result;
    expect(received).toBe('1\n2\n');
  });

  it('is not called after removeAllListeners()', async () => {
    const { job, go } = twoSteps();
    const received: string[] = [];
    job.on('data', (text) => {
      received.push(text);
      job.removeAllListeners('data');
      go();
    });
    await job.result;
    expect(received).toEqual(['1\n']);
  });

  it('added later receives the output from then on', async () => {
    const { job, go } = twoSteps();
    await new Promise((resolve) => {
      job.once('data', resolve);
    });
    let received = '';
    job.on('data', (text) => {
      received += text;
    });
    go();
    expect((await job.result).stdout).toBe('1\n2\n');
    expect(received).toBe('2\n');
  });

  it('added to an unread job receives the output from then on', async () => {
    const [file, ticked] = [join(root, 'unread'), join(root, 'ticked')];
    const command = `until [ -e ${file} ]; do echo tick; : > ${ticked}; sleep 0.02; done`;
    const job = new BashJob({ command }, '/');
    await until(() => existsSync(ticked), 'it writes');
    await new Promise((resolve) => {
      job.once('data', resolve);
    });
    writeFileSync(file, '');
    expect((await job.result).exitCode).toBe(0);
  });

  it.each([
    ['a BashJob', (command: string) => new BashJob({ command }, '/')],
    ['a job of a table', (command: string) => jobs.start(command)],
  ] as const)('of %s, added in a late microtask, misses nothing', async (_, start) => {
    const file = join(root, `said-${files++}`);
    const job = start(`echo hi; : > ${file}`);
    await Promise.resolve();
    // This turn lasts until the command has written everything and the addon has read it.
    while (!existsSync(file)) blockThread(10);
    blockThread(200);
    let received = '';
    job.on('data', (text: string) => {
      received += text;
    });
    await job.result;
    expect(received).toBe('hi\n');
  });

  it.each([
    ['a BashJob', (command: string) => new BashJob({ command }, '/', false, { timeout: 5_000 })],
    ['a job of a table', (command: string) => jobs.start(command, { timeout: 5_000 })],
  ] as const)('that %s does not have does not stop the command while the loop is busy', async (_, start) => {
    const file = join(root, `written-${files++}`);
    const job = start(`head -c 8000000 /dev/zero; : > ${file}`);
    await Promise.resolve();
    const begin = Date.now();
    while (!existsSync(file) && Date.now() - begin < 20_000) blockThread(10);
    const { status, totalBytes } = await job.result;
    expect({ status, totalBytes }).toEqual({
      status: 'exited',
      totalBytes: { stdout: 8_000_000, stderr: 0 },
    });
  });

  it('is called with the job as `this`', async () => {
    const job = new BashJob({ command: 'echo hi' }, '/');
    const receiver = new Promise((resolve) => {
      job.on('data', function (this: unknown) {
        resolve(this);
      });
    });
    expect(await receiver).toBe(job);
    await job.result;
  });

  it('of the exit is called before the result is settled', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    const order: string[] = [];
    const waiting = job.result.then(() => order.push('result'));
    job.on('exit', () => order.push('exit'));
    await waiting;
    expect(order).toEqual(['exit', 'result']);
  });
});

describe('emit()', () => {
  it('that is replaced is what delivers each event of the job', async () => {
    const job = new BashJob({ command: 'echo out; exit 3' }, '/');
    const emitted: unknown[][] = [];
    const { emit } = job;
    job.emit = function (this: BashJob, name: string, ...args: unknown[]) {
      emitted.push([name, ...args]);
      return Reflect.apply(emit, this, [name, ...args]);
    } as typeof emit;
    let received = '';
    job.on('data', (text) => {
      received += text;
    });
    const result = await job.result;
    expect(emitted.filter(([name]) => name !== 'newListener')).toEqual([
      ['data', 'out\n', 'stdout'],
      ['exit', 3, null, result],
    ]);
    expect(received).toBe('out\n');
  });

  it('of a subclass is what delivers', async () => {
    const names: unknown[] = [];
    class Watched extends BashJob {
      override emit(name: never, ...args: never): boolean {
        names.push(name);
        return super.emit(name, ...args);
      }
    }
    const job = new Watched({ command: 'exit 3' }, '/');
    const code = await new Promise((resolve) => {
      job.on('exit', resolve);
    });
    expect({ code, names }).toEqual({ code: 3, names: ['exit'] });
  });

  it('returns whether there is a listener', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    const listener = () => {};
    const before = job.emit('data', 'text', 'stdout');
    job.on('data', listener);
    expect([before, job.emit('data', 'text', 'stdout')]).toEqual([false, true]);
    await job.result;
  });

  it('of an event of another name calls its listeners', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    const received: unknown[] = [];
    (job as EventEmitter).on('other', (...args) => received.push(args));
    expect((job as EventEmitter).emit('other', 1, 2)).toBe(true);
    expect(received).toEqual([[1, 2]]);
    await job.result;
  });
});
