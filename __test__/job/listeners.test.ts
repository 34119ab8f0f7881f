import type { EventEmitter } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BashJob, jobs } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const root = temporaryDirectory();
let files = 0;

/** A job that prints 1, waits for `go()`, and prints 2. */
function twoSteps(): { job: BashJob; go: () => void } {
  const file = join(root, `go-${files++}`);
  const job = new BashJob({ command: `echo 1; until [ -e ${file} ]; do sleep 0.02; done; echo 2` }, '/');
  return { job, go: () => writeFileSync(file, '') };
}

/** Blocks this thread for `ms`. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a listener', () => {
  it.each(['on', 'addListener', 'prependListener'] as const)(
    'added by %s hears the output',
    async (method) => {
      const job = new BashJob({ command: 'echo hi' }, '/');
      let heard = '';
      job[method]('data', (text) => {
        heard += text;
      });
      await job.result;
      expect(heard).toBe('hi\n');
    },
  );

  it.each(['once', 'prependOnceListener'] as const)('added by %s hears one chunk', async (method) => {
    const { job, go } = twoSteps();
    const heard: string[] = [];
    job[method]('data', (text) => {
      heard.push(text);
      go();
    });
    expect((await job.result).stdout).toBe('1\n2\n');
    expect(heard).toEqual(['1\n']);
  });

  it.each(['on', 'addListener', 'prependListener', 'once', 'prependOnceListener'] as const)(
    'is chained by %s',
    async (method) => {
      const job = new BashJob({ command: 'true' }, '/');
      expect(job[method]('data', () => {})).toBe(job);
      await job.result;
    },
  );

  it('that is prepended hears the output first', async () => {
    const job = new BashJob({ command: 'echo hi' }, '/');
    const order: string[] = [];
    job.on('data', () => order.push('second'));
    job.prependListener('data', () => order.push('first'));
    await job.result;
    expect(order).toEqual(['first', 'second']);
  });

  it.each(['off', 'removeListener'] as const)('removed by %s hears no more', async (method) => {
    const { job, go } = twoSteps();
    const heard: string[] = [];
    const listener = (text: string) => {
      heard.push(text);
      job[method]('data', listener);
      go();
    };
    job.on('data', listener);
    expect((await job.result).stdout).toBe('1\n2\n');
    expect(heard).toEqual(['1\n']);
  });

  it('stays when another one is removed', async () => {
    const { job, go } = twoSteps();
    let heard = '';
    const other = () => {
      job.off('data', other);
      go();
    };
    job.on('data', other);
    job.on('data', (text) => {
      heard += text;
    });
    await job.result;
    expect(heard).toBe('1\n2\n');
  });

  it('hears no more after removeAllListeners()', async () => {
    const { job, go } = twoSteps();
    const heard: string[] = [];
    job.on('data', (text) => {
      heard.push(text);
      job.removeAllListeners('data');
      go();
    });
    await job.result;
    expect(heard).toEqual(['1\n']);
  });

  it('added later hears what comes from then on', async () => {
    const { job, go } = twoSteps();
    await new Promise((resolve) => {
      job.once('data', resolve);
    });
    let heard = '';
    job.on('data', (text) => {
      heard += text;
    });
    go();
    expect((await job.result).stdout).toBe('1\n2\n');
    expect(heard).toBe('2\n');
  });

  it('added to a job that nobody has read hears what comes from then on', async () => {
    const file = join(root, 'unread');
    const command = `until [ -e ${file} ]; do echo tick; sleep 0.02; done`;
    const job = new BashJob({ command }, '/');
    await new Promise((resolve) => setTimeout(resolve, 200));
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
    while (!existsSync(file)) sleep(10);
    sleep(200);
    let heard = '';
    job.on('data', (text: string) => {
      heard += text;
    });
    await job.result;
    expect(heard).toBe('hi\n');
  });

  it.each([
    ['a BashJob', (command: string) => new BashJob({ command }, '/', false, { timeout: 5_000 })],
    ['a job of a table', (command: string) => jobs.start(command, { timeout: 5_000 })],
  ] as const)('that %s does not have is not waited for while the loop is busy', async (_, start) => {
    const file = join(root, `written-${files++}`);
    const job = start(`head -c 8000000 /dev/zero; : > ${file}`);
    await Promise.resolve();
    const begin = Date.now();
    while (!existsSync(file) && Date.now() - begin < 20_000) sleep(10);
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

  it('of the exit is called before those who wait for the result', async () => {
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
    let heard = '';
    job.on('data', (text) => {
      heard += text;
    });
    const result = await job.result;
    expect(emitted.filter(([name]) => name !== 'newListener')).toEqual([
      ['data', 'out\n', 'stdout'],
      ['exit', 3, null, result],
    ]);
    expect(heard).toBe('out\n');
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

  it('says whether anybody listens', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    const listener = () => {};
    const before = job.emit('data', 'text', 'stdout');
    job.on('data', listener);
    expect([before, job.emit('data', 'text', 'stdout')]).toEqual([false, true]);
    await job.result;
  });

  it('of an event of another name calls its listeners', async () => {
    const job = new BashJob({ command: 'true' }, '/');
    const heard: unknown[] = [];
    (job as EventEmitter).on('other', (...args) => heard.push(args));
    expect((job as EventEmitter).emit('other', 1, 2)).toBe(true);
    expect(heard).toEqual([[1, 2]]);
    await job.result;
  });
});
