import { describe, expect, it } from 'vitest';
import { type Job, type JobOutput, Jobs } from '../../index.js';
import { printed } from '../life/support.js';
import { until } from '../support/processes.mjs';
import { deliberateDelay } from '../support/waits.mjs';

/** Writes each piece when a line is read from standard input. */
const ECHO = 'while IFS= read -r line; do eval "$line"; done';

function pieces({ chunks }: JobOutput): string[] {
  return chunks.map(({ stream, text }) => `${stream}: ${text}`);
}

/** Reads piece by piece until the job is over, as somebody would who looks from time to time. */
async function readAll(job: Job, pause = 5): Promise<{ text: string; dropped: number; cursor: number }> {
  let [text, dropped, cursor] = ['', 0, 0];
  const look = () => {
    const output = job.read(cursor);
    expect(output.cursor).toBe(cursor + output.dropped + Buffer.byteLength(output.text));
    text += output.text;
    dropped += output.dropped;
    cursor = output.cursor;
  };
  let isOver = false;
  job.on('exit', () => {
    isOver = true;
  });
  while (!isOver) {
    look();
    await deliberateDelay(pause);
  }
  look();
  return { text, dropped, cursor };
}

describe('Job.read()', () => {
  it('gives what has come since the last time', async () => {
    await using table = new Jobs();
    const job = table.start(ECHO, { stdin: 'pipe' });
    expect(job.read()).toEqual({ text: '', chunks: [], cursor: 0, dropped: 0 });
    job.write('echo one\n');
    await printed(job, 'one');
    const first = job.read();
    expect(first).toEqual({
      text: 'one\n',
      chunks: [{ stream: 'stdout', text: 'one\n' }],
      cursor: 4,
      dropped: 0,
    });
    job.write('echo two >&2\n');
    await printed(job, 'two');
    expect(job.read(first.cursor)).toEqual({
      text: 'two\n',
      chunks: [{ stream: 'stderr', text: 'two\n' }],
      cursor: 8,
      dropped: 0,
    });
    expect(job.read(8)).toEqual({ text: '', chunks: [], cursor: 8, dropped: 0 });
  });

  it('takes nothing away', async () => {
    await using table = new Jobs();
    const job = table.start('echo hi; echo there >&2');
    await job.result;
    expect(job.read()).toEqual(job.read());
    expect(table.read(job.id)).toEqual(job.read(0));
  });

  it('gives both streams in the order in which they were read', async () => {
    await using table = new Jobs();
    const job = table.start(ECHO, { stdin: 'pipe' });
    for (const [line, word] of [
      ['echo o1', 'o1'],
      ['echo e1 >&2', 'e1'],
      ['echo o2', 'o2'],
      ['echo e2 >&2', 'e2'],
    ]) {
      job.write(`${line}\n`);
      await printed(job, word ?? '');
    }
    expect(pieces(job.read())).toEqual(['stdout: o1\n', 'stderr: e1\n', 'stdout: o2\n', 'stderr: e2\n']);
  });

  it('from the middle of a piece gives the rest of it', async () => {
    await using table = new Jobs();
    const job = table.start('printf hello');
    await job.result;
    expect(job.read(2)).toEqual({
      text: 'llo',
      chunks: [{ stream: 'stdout', text: 'llo' }],
      cursor: 5,
      dropped: 0,
    });
  });

  it('counts bytes of UTF-8', async () => {
    await using table = new Jobs();
    const job = table.start("printf 'aé€😀'");
    await job.result;
    expect(job.read().cursor).toBe(10);
    expect([1, 3, 6, 10].map((since) => job.read(since).text)).toEqual(['é€😀', '€😀', '😀', '']);
  });

  it.each([2, 4, 5, 7, 8, 9])('from inside of a character (%i) gives whole characters', async (since) => {
    await using table = new Jobs();
    const job = table.start("printf 'aé€😀b'");
    await job.result;
    const { text, cursor } = job.read(since);
    expect(cursor).toBe(11);
    expect(text).not.toContain('\uFFFD');
    expect('aé€😀b'.endsWith(text)).toBe(true);
  });

  it('never cuts a character whose bytes come one by one', async () => {
    await using table = new Jobs();
    const bytes = [...Buffer.from('é€😀')].map((byte) => `printf '\\${byte.toString(8)}'`);
    const job = table.start(bytes.join('; sleep 0.05; '));
    const { text, dropped } = await readAll(job);
    expect({ text, dropped }).toEqual({ text: 'é€😀', dropped: 0 });
  });

  it('counts an invalid byte as its U+FFFD', async () => {
    await using table = new Jobs();
    const job = table.start("printf 'a\\377b'");
    await job.result;
    expect(job.read()).toMatchObject({ text: 'a\uFFFDb', cursor: 5, dropped: 0 });
  });

  it('beyond the end gives nothing', async () => {
    await using table = new Jobs();
    const job = table.start('echo hi');
    await job.result;
    expect(job.read(1_000)).toMatchObject({ text: '', chunks: [], dropped: 0 });
  });

  it('piece by piece gives everything', async () => {
    await using table = new Jobs();
    const job = table.start('i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done');
    const { text, dropped } = await readAll(job);
    expect(dropped).toBe(0);
    expect(text).toBe(Array.from({ length: 3_000 }, (_, index) => `${index}\n`).join(''));
  });

  it('works when the job is over, until it is forgotten', async () => {
    await using table = new Jobs();
    const job = table.start('echo hi');
    await job.result;
    expect(table.read(job.id).text).toBe('hi\n');
    await table.dispose();
    expect(() => job.read()).toThrow(expect.objectContaining({ name: 'Error', code: 'JOB_NOT_FOUND' }));
    expect(() => table.read(job.id)).toThrow(expect.objectContaining({ code: 'JOB_NOT_FOUND' }));
  });

  it.each([-1, 1.5, Number.NaN, '3', null])('throws for %j', async (since) => {
    await using table = new Jobs();
    const job = table.start('true');
    expect(() => job.read(since as number)).toThrow(
      expect.objectContaining({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' }),
    );
  });
});

describe('readBytes', () => {
  it('is how much of the latest output is kept', async () => {
    await using table = new Jobs({ readBytes: 1_000 });
    const job = table.start("head -c 5000 /dev/zero | tr '\\0' x; printf END");
    await job.result;
    const { text, cursor, dropped } = job.read();
    expect(cursor).toBe(5_003);
    expect(dropped + text.length).toBe(5_003);
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text).toMatch(/^x+END$/);
  });

  it('reports the dropped bytes to a late reader', async () => {
    await using table = new Jobs({ readBytes: 1_000 });
    const job = table.start(ECHO, { stdin: 'pipe' });
    job.write('printf first\n');
    await printed(job, 'first');
    const { cursor } = job.read();
    job.write("head -c 5000 /dev/zero | tr '\\0' x\n");
    await until(() => job.read().cursor === 5_005, 'all has come');
    const { text, dropped } = job.read(cursor);
    expect(dropped).toBe(5_000 - text.length);
    expect(text).toMatch(/^x+$/);
    expect(text.length).toBeGreaterThan(500);
  });

  it('of 0 keeps nothing', async () => {
    await using table = new Jobs({ readBytes: 0 });
    const job = table.start('echo hi');
    const { stdout } = await job.result;
    expect({ stdout, text: job.read().text, chunks: job.read().chunks }).toEqual({
      stdout: 'hi\n',
      text: '',
      chunks: [],
    });
  });

  it('does not limit the result', async () => {
    await using table = new Jobs({ readBytes: 100 });
    const job = table.start('seq 10000');
    expect((await job.result).stdout).toHaveLength(48_894);
  });

  it('is 1,048,576 by default', async () => {
    await using table = new Jobs();
    const job = table.start('head -c 3000000 /dev/zero');
    await job.result;
    const { text, cursor, dropped } = job.read();
    expect({ cursor, all: dropped + text.length }).toEqual({ cursor: 3_000_000, all: 3_000_000 });
    expect(text.length).toBeLessThanOrEqual(1_048_576);
    expect(text.length).toBeGreaterThan(900_000);
  });

  it('never leaves half a character at the beginning', async () => {
    for (const readBytes of [100, 101, 102, 103]) {
      await using table = new Jobs({ readBytes });
      const job = table.start("yes '😀€é' | head -n 500 | tr -d '\\n'");
      await job.result;
      const { text, dropped, cursor } = job.read();
      expect(cursor).toBe(4_500);
      expect(text).not.toContain('\uFFFD');
      expect('😀€é'.repeat(500).endsWith(text)).toBe(true);
      expect(dropped + Buffer.byteLength(text)).toBe(4_500);
      expect(text.length).toBeGreaterThan(0);
    }
  });

  it('has exact counts when a reader can not keep up', async () => {
    await using table = new Jobs({ readBytes: 5_000 });
    const job = table.start('seq 200000; seq 1000 >&2');
    const { text, dropped, cursor } = await readAll(job, 1);
    expect(cursor).toBe(1_288_895 + 3_893);
    expect(text.length + dropped).toBe(cursor);
  });
});
