import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { printed } from '../life/support.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { nothingFor } from '../support/waits.mjs';

const directory = temporaryDirectory();
const MIB = 1024 * 1024;

describe('a job whose standard input is a pipe', () => {
  it('gets what is written, and its end', async () => {
    await using table = new Jobs();
    const job = table.start('cat; echo end', { stdin: 'pipe' });
    expect(job.write('héllo ')).toBe(true);
    expect(job.write(new Uint8Array([119, 111]))).toBe(true);
    expect(job.write(Buffer.from('rld\n'))).toBe(true);
    job.end();
    expect((await job.result).stdout).toBe('héllo world\nend\n');
  });

  it('gets the chunk of end()', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe' });
    job.write('a');
    job.end('b');
    expect((await job.result).stdout).toBe('ab');
  });

  it('waits for more until the end', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe' });
    job.write('one\n');
    await printed(job, 'one');
    expect((await table.wait(job.id, { timeout: 200 })).status).toBe('timeout');
    job.write('two\n');
    await printed(job, 'two');
    job.end();
    expect((await job.result).stdout).toBe('one\ntwo\n');
  });

  it('answers to what it reads, as a shell does', async () => {
    await using table = new Jobs();
    const job = table.start('exec sh', { stdin: 'pipe' });
    for (let turn = 1; turn <= 20; turn++) {
      job.write(`echo "answer $((${turn} * 7))."\n`);
      await printed(job, `answer ${turn * 7}.`);
    }
    job.end('exit 9\n');
    expect((await job.result).exitCode).toBe(9);
  });

  it('that gets nothing but the end sees the end', async () => {
    await using table = new Jobs();
    const job = table.start('cat; exit 3', { stdin: 'pipe' });
    job.end();
    expect(await job.result).toMatchObject({ exitCode: 3, stdout: '' });
  });

  it('gets bytes as they are', async () => {
    await using table = new Jobs();
    const file = join(directory, 'bytes');
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const job = table.start(`cat >${file}; cksum <${file}`, { stdin: 'pipe' });
    job.end(bytes);
    const { stdout } = await run('cksum', { input: bytes });
    expect((await job.result).stdout).toBe(stdout);
  });

  it('gets what the bytes were at the call', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe' });
    const chunk = Buffer.from('before');
    job.write(chunk);
    chunk.fill('x');
    job.end();
    expect((await job.result).stdout).toBe('before');
  });

  it('gets many small pieces in their order', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe' });
    let expected = '';
    for (let count = 0; count < 5_000; count++) {
      job.write(`${count}\n`);
      expected += `${count}\n`;
    }
    job.end();
    expect((await job.result).stdout === expected).toBe(true);
  });

  it('gets 400,000 short pieces in their order', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe', output: { maxBytes: 8 * MIB } });
    let expected = '';
    for (let count = 0; count < 400_000; count++) {
      job.write(`${count}\n`);
      expected += `${count}\n`;
    }
    job.end();
    expect((await job.result).stdout === expected).toBe(true);
  });

  it('gets a large piece whole', async () => {
    await using table = new Jobs();
    const job = table.start('wc -c', { stdin: 'pipe' });
    job.end(Buffer.alloc(8 * MIB, 'x'));
    expect((await job.result).stdout.trim()).toBe(String(8 * MIB));
  });

  it('may be written to before there is a process', async () => {
    await using table = new Jobs();
    const all = Array.from({ length: 15 }, (_, index) => {
      const job = table.start('cat', { stdin: 'pipe' });
      job.end(`${index}`);
      return job.result;
    });
    expect((await Promise.all(all)).map(({ stdout }) => Number(stdout))).toEqual([...Array(15).keys()]);
  });

  it('is ended with its input open', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe' });
    job.write('hi\n');
    await printed(job, 'hi');
    job.kill();
    expect(await job.result).toMatchObject({ status: 'signaled', signal: 'SIGTERM', stdout: 'hi\n' });
  });
});

describe('a job that does not read its input', () => {
  it('but closes it, is no error, and the rest is dropped', async () => {
    await using table = new Jobs();
    const job = table.start('exec <&-; echo closed; sleep 0.3; exit 3', { stdin: 'pipe' });
    await printed(job, 'closed');
    for (let count = 0; count < 20; count++) job.write(Buffer.alloc(MIB));
    job.end();
    expect(await job.result).toMatchObject({
      status: 'exited',
      exitCode: 3,
      stdout: 'closed\n',
      error: null,
    });
  });

  it('but exits, is no error', async () => {
    await using table = new Jobs();
    const job = table.start('exit 3', { stdin: 'pipe' });
    job.write(Buffer.alloc(4 * MIB));
    job.end();
    expect(await job.result).toMatchObject({ status: 'exited', exitCode: 3, error: null });
  });

  it('to its end, gets what it does read', async () => {
    await using table = new Jobs();
    const job = table.start('head -c 3; exit 4', { stdin: 'pipe' });
    job.write(`abc${'x'.repeat(4 * MIB)}`);
    expect(await job.result).toMatchObject({ exitCode: 4, stdout: 'abc' });
  });

  it('lets every write to its stream call back without an error', async () => {
    await using table = new Jobs();
    const job = table.start('exec <&-; echo closed; sleep 0.2', { stdin: 'pipe' });
    const { stdin } = job;
    const errors: unknown[] = [];
    stdin?.on('error', (error) => errors.push(error));
    await printed(job, 'closed');
    const answers = Array.from(
      { length: 10 },
      () =>
        new Promise((resolve) => {
          stdin?.write(Buffer.alloc(MIB), resolve);
        }),
    );
    for (const answer of await Promise.all(answers)) expect(answer ?? null).toBeNull();
    await job.result;
    expect(errors).toEqual([]);
  });

  it('does not hold a pipeline up', async () => {
    await using table = new Jobs();
    const job = table.start('exec head -c 10', { stdin: 'pipe' });
    const source = Readable.from(
      (function* () {
        for (let count = 0; count < 100; count++) yield Buffer.alloc(64 * 1024, 'y');
      })(),
    );
    // Either it drops the rest, or it says that it was closed early: it must only not hang, nor crash.
    await pipeline(source, job.stdin as Writable).catch(() => {});
    expect((await job.result).stdout).toBe('yyyyyyyyyy');
  });
});

describe('write()', () => {
  it('after end() takes nothing', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe' });
    job.end('a');
    expect([job.write('b'), job.write('')]).toEqual([false, false]);
    job.end('c');
    job.end();
    expect((await job.result).stdout).toBe('a');
  });

  it('after the end of the job takes nothing', async () => {
    await using table = new Jobs();
    const job = table.start('exit 3', { stdin: 'pipe' });
    await job.result;
    expect(job.write('x')).toBe(false);
    job.end('y');
    job.end();
  });

  it('without a pipe takes nothing', async () => {
    await using table = new Jobs();
    const job = table.start('cat; echo end');
    expect({ isTaken: job.write('x'), stdin: job.stdin }).toEqual({ isTaken: false, stdin: null });
    job.end('y');
    expect((await job.result).stdout).toBe('end\n');
  });

  it('to a job whose signal fired before the start accepts no bytes', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe', signal: AbortSignal.abort() });
    job.write('x');
    job.end();
    expect((await job.result).status).toBe('aborted');
  });

  it.each([5, null, undefined, {}, ['a'], true])('throws for %j', async (chunk) => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe' });
    const error = expect.objectContaining({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' });
    expect(() => job.write(chunk as string)).toThrow(error);
    job.end('still fine');
    expect((await job.result).stdout).toBe('still fine');
  });
});

describe('the stdin stream of a job', () => {
  it('is the same each time, and a Writable that takes 64 KiB', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe' });
    expect(job.stdin).toBeInstanceOf(Writable);
    expect(job.stdin).toBe(job.stdin);
    expect(job.stdin?.writableHighWaterMark).toBe(65_536);
    job.end();
    await job.result;
  });

  it('keeps the order with write() and end() of the job', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe' });
    job.write('1');
    job.stdin?.write('2');
    job.write('3');
    job.stdin?.write('4');
    job.end('5');
    expect((await job.result).stdout).toBe('12345');
  });

  it('takes texts in their encoding', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe' });
    job.stdin?.write('68c3a9', 'hex');
    job.stdin?.end('é', 'utf8');
    expect((await job.result).stdout).toBe('héé');
  });

  it('fills while the command does not read, and drains when it does', async () => {
    await using table = new Jobs();
    const go = join(directory, 'go');
    const job = table.start(`until [ -e ${go} ]; do sleep 0.02; done; wc -c`, { stdin: 'pipe' });
    const { stdin } = job;
    if (stdin === null) throw new Error('no stdin');
    let written = 0;
    const chunk = Buffer.alloc(65_536);
    // Beyond what the kernel and the stream take, write() says no and nothing drains.
    const fill = async () => {
      for (;;) {
        written += chunk.length;
        if (stdin.write(chunk)) continue;
        const isDrained = await Promise.race([
          new Promise((resolve) => stdin.once('drain', () => resolve(true))),
          nothingFor(300).then(() => false),
        ]);
        if (!isDrained) return;
      }
    };
    await fill();
    expect(written).toBeLessThan(4 * MIB);
    await run(`touch ${go}`);
    await until(() => !stdin.writableNeedDrain, 'it has drained');
    stdin.end('end');
    expect((await job.result).stdout.trim()).toBe(String(written + 3));
  });

  it('calls back once for each of 700,000 short writes, in their order', async () => {
    await using table = new Jobs();
    const job = table.start('wc -l', { stdin: 'pipe' });
    let calls = 0;
    let isInOrder = true;
    for (let count = 0; count < 700_000; count++) {
      job.stdin?.write('\n', () => {
        isInOrder &&= calls++ === count;
      });
    }
    job.stdin?.end();
    const { stdout } = await job.result;
    expect({ lines: Number(stdout), calls, isInOrder }).toEqual({
      lines: 700_000,
      calls: 700_000,
      isInOrder: true,
    });
  });

  it('finishes when all is handed over', async () => {
    await using table = new Jobs();
    const job = table.start('wc -c', { stdin: 'pipe' });
    await pipeline(Readable.from([Buffer.alloc(MIB), Buffer.alloc(MIB)]), job.stdin as Writable);
    expect((await job.result).stdout.trim()).toBe(String(2 * MIB));
  });

  it('ends the input when it is destroyed', async () => {
    await using table = new Jobs();
    const job = table.start('cat; exit 3', { stdin: 'pipe' });
    job.stdin?.destroy();
    expect((await job.result).exitCode).toBe(3);
    expect(job.write('x')).toBe(false);
  });

  it('that is first asked for after end() has ended', async () => {
    await using table = new Jobs();
    const job = table.start('cat', { stdin: 'pipe' });
    job.end('a');
    expect(job.stdin?.writableEnded).toBe(true);
    expect((await job.result).stdout).toBe('a');
  });

  it('after the job is over takes no more, without a crash', async () => {
    await using table = new Jobs();
    const job = table.start('exit 3', { stdin: 'pipe' });
    const { stdin } = job;
    const errors: unknown[] = [];
    stdin?.on('error', (error) => errors.push(error));
    await job.result;
    stdin?.write('x');
    stdin?.end();
    await nothingFor(50);
    expect({ errors, wasTaken: job.write('y') }).toEqual({ errors: [], wasTaken: false });
  });

  it('ends a source that never ends when the job is over', async () => {
    await using table = new Jobs();
    const job = table.start('exec head -c 10', { stdin: 'pipe' });
    let isStopped = false;
    const source = Readable.from(
      (async function* () {
        try {
          for (;;) {
            yield Buffer.alloc(65_536, 'y');
            await new Promise(setImmediate);
          }
        } finally {
          isStopped = true;
        }
      })(),
    );
    const piped = pipeline(source, job.stdin as Writable).catch(() => {});
    expect((await job.result).stdout).toBe('yyyyyyyyyy');
    await until(() => isStopped, 'the source is stopped').finally(() => source.destroy());
    await piped;
  });
});
