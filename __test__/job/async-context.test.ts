import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BashJob, type Job, Jobs, jobs, run } from '../../index.js';

const storage = new AsyncLocalStorage<string>();

/** The store that a callback sees, by the name of the callback. */
type Seen = Record<string, string | undefined>;

/**
 * Adds listeners to a job or to a child process, in a store of their own, and gives what they see until the
 * exit.
 */
async function seenByListeners(job: Job | ChildProcess): Promise<Seen> {
  const seen: Seen = {};
  const see = (name: string) => () => {
    seen[name] = storage.getStore();
  };
  const output = job instanceof BashJob || !('stdout' in job) ? job : job.stdout;
  // A child process may exit before its output has been read.
  const end = once(job, output === job ? 'exit' : 'close');
  storage.run('whoever listens', () => {
    output?.on('data', see('data'));
    output?.once('data', see('data, once'));
    job.on('exit', see('exit'));
  });
  await end;
  return seen;
}

const ECHO = 'echo hi';

/** The ways to start a job. Jobs of two callers must not see the store of the other caller. */
const STARTERS: Array<[name: string, start: () => Job | ChildProcess]> = [
  ['a child process', () => spawn('sh', ['-c', ECHO])],
  ['a BashJob', () => new BashJob({ command: ECHO }, '/')],
  ['a job of a table', () => jobs.start(ECHO)],
];

describe('listeners', () => {
  it.each(STARTERS)('of %s run in the context of the caller that started it', async (_, start) => {
    const both = await Promise.all(['one', 'two'].map((store) => seenByListeners(storage.run(store, start))));
    expect(both).toEqual(['one', 'two'].map((store) => ({ data: store, 'data, once': store, exit: store })));
  });

  it('of a command that run() has left to a table run in the context of the caller of run()', async () => {
    const { jobId } = await storage.run('caller', () =>
      run('exec sleep 60', { timeout: 0, onTimeout: 'background' }),
    );
    const job = jobs.get(jobId as string) as Job;
    const seen = new Promise((resolve) => {
      job.on('exit', () => resolve(storage.getStore()));
    });
    job.kill();
    expect(await seen).toBe('caller');
  });

  it('of a job that is started outside of any context run in none', async () => {
    const inner = await storage.run('another', () => seenByListeners(new BashJob({ command: ECHO }, '/')));
    const outer = await storage.exit(() => seenByListeners(new BashJob({ command: ECHO }, '/')));
    expect([inner.exit, outer.exit]).toEqual(['another', undefined]);
  });
});

/**
 * Returns the stores that callbacks of a standard input see. The reader waits, so the input does not fit into
 * the pipe.
 */
async function seenByInput(job: Job | ChildProcess): Promise<Seen> {
  const seen: Seen = {};
  const see = (name: string) => () => {
    seen[name] = storage.getStore();
  };
  const stdin = job.stdin as Writable;
  const closed = once(stdin, 'close');
  storage.run('whoever listens', () => {
    stdin.on('drain', see('drain'));
    stdin.on('close', see('close'));
  });
  storage.run('first writer', () => stdin.write('a', see('first')));
  storage.run('second writer', () => stdin.write('b'.repeat(500_000), see('second')));
  await once(stdin, 'drain');
  storage.run('ender', () => stdin.end());
  await closed;
  return seen;
}

const READ = 'sleep 0.1; cat >/dev/null';

describe('callbacks of the standard input', () => {
  it.each<[string, () => Job | ChildProcess]>([
    ['a child process', () => spawn('sh', ['-c', READ])],
    ['a job', () => jobs.start(READ, { stdin: 'pipe' })],
  ])('of %s run in the context of the writer, and its listeners in that of the starter', async (_, start) => {
    const { drain, ...seen } = await seenByInput(storage.run('starter', start));
    expect(seen).toEqual({ first: 'first writer', second: 'second writer', close: 'starter' });
    // A stream of Node's drains in the context of the write that has come to its end.
    expect(['starter', 'second writer']).toContain(drain);
  });

  it('of end() run in the context of its caller', async () => {
    const job = storage.run('starter', () => jobs.start(READ, { stdin: 'pipe' }));
    const seen = await new Promise((resolve) => {
      storage.run('ender', () => job.stdin?.end('x', 'utf8', () => resolve(storage.getStore())));
    });
    expect(seen).toBe('ender');
    await job.result;
  });
});

describe('the caller that awaits', () => {
  it('the result of a job goes on in their own context', async () => {
    const job = storage.run('starter', () => new BashJob({ command: ECHO }, '/'));
    const seen = await storage.run('waiter', async () => {
      await job.result;
      return storage.getStore();
    });
    expect(seen).toBe('waiter');
  });

  it('the chunks of a job goes on in their own context', async () => {
    const table = new Jobs();
    const job = storage.run('starter', () => table.start('echo 1; sleep 0.1; echo 2'));
    const seen = await storage.run('reader', async () => {
      const stores: Array<string | undefined> = [];
      for await (const _ of job) stores.push(storage.getStore());
      return stores;
    });
    expect(new Set(seen)).toEqual(new Set(['reader']));
  });
});
