import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BashJob, Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { fileOf, isSame, joined, randomBytes } from '../support/random-bytes.js';
import { within } from '../support/slowness.mjs';

const BYTES = randomBytes(3_000_000);
const FILE = fileOf(BYTES);

/** Writes the file to both streams, in pieces that cut characters. */
const BOTH = `dd if=${FILE} bs=777 status=none; dd if=${FILE} bs=1111 status=none >&2`;

describe("a job with encoding: 'buffer'", () => {
  it('emits the bytes of both streams', async () => {
    await using table = new Jobs();
    const job = table.start(BOTH, { encoding: 'buffer' });
    const parts = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    job.on('data', (chunk, stream) => parts[stream].push(chunk));
    await job.result;
    expect(isSame(joined(parts.stdout), BYTES)).toBe(true);
    expect(isSame(joined(parts.stderr), BYTES)).toBe(true);
    expect(parts.stdout.every((part) => Object.getPrototypeOf(part) === Uint8Array.prototype)).toBe(true);
    expect(Math.max(...parts.stdout.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
  });

  it('gives the bytes to a loop', async () => {
    await using table = new Jobs();
    const parts: Uint8Array[] = [];
    for await (const { stream, data } of table.start(['cat', FILE], { encoding: 'buffer' })) {
      expect(stream).toBe('stdout');
      parts.push(data);
    }
    expect(isSame(joined(parts), BYTES)).toBe(true);
  });

  it('is slowed down by a loop that is slow', async () => {
    await using table = new Jobs();
    const job = table.start('exec cat /dev/zero', { encoding: 'buffer', output: { maxBytes: 0 } });
    const chunks = job[Symbol.asyncIterator]();
    await chunks.next();
    // The pipe fills, and the command waits in its write.
    let before = -1;
    await until(() => {
      const { cursor } = job.read();
      const isStill = cursor === before;
      before = cursor;
      return isStill;
    });
    expect(before).toBeLessThan(4 * 1024 * 1024);
    await chunks.return?.();
  });

  it('can be read by cursor, byte by byte', async () => {
    await using table = new Jobs({ readBytes: 1000 });
    const job = table.start(`head -c 300 ${FILE}; printf '\\303' >&2`, { encoding: 'buffer' });
    await job.result;
    const { chunks, cursor, dropped } = job.read(1);
    expect({ cursor, dropped }).toEqual({ cursor: 301, dropped: 0 });
    expect(chunks).toHaveLength(2);
    const of = (stream: string) => chunks.find((chunk) => chunk.stream === stream)?.data ?? new Uint8Array();
    expect(isSame(job.read(1).data, joined(chunks.map(({ data }) => data)))).toBe(true);
    expect([...of('stderr')].slice(-1)).toEqual([0xc3]);
    expect(job.read(300).data).toHaveLength(1);
    expect(job.read(301)).toEqual({ data: new Uint8Array(), chunks: [], cursor: 301, dropped: 0 });
  });

  it('counts the bytes that were dropped before they were read', async () => {
    await using table = new Jobs({ readBytes: 1000 });
    const job = table.start(['cat', FILE], { encoding: 'buffer' });
    await job.result;
    const { data, dropped, cursor } = job.read();
    expect(isSame(data, BYTES.slice(-1000))).toBe(true);
    expect({ dropped, cursor }).toEqual({ dropped: BYTES.length - 1000, cursor: BYTES.length });
  });

  it('goes on in the background with all of its bytes', async () => {
    await using table = new Jobs();
    const gate = join(temporaryDirectory(), 'gate');
    const { status, jobId } = await run(
      `head -c 1000 ${FILE}; until [ -e ${gate} ]; do sleep 0.02; done; tail -c +1001 ${FILE}`,
      {
        encoding: 'buffer',
        onTimeout: 'background',
        timeout: within(1_000),
        jobs: table,
        output: { maxBytes: BYTES.length },
      },
    );
    expect(status).toBe('background');
    writeFileSync(gate, '');
    const { finished } = await table.wait<'buffer'>(jobId ?? '');
    expect(isSame(finished[0]?.stdout ?? new Uint8Array(), BYTES)).toBe(true);
  });

  it('answers with the bytes so far when it goes to the background', async () => {
    await using table = new Jobs();
    const partial = await run(`head -c 1000 ${FILE}; exec sleep 60`, {
      encoding: 'buffer',
      onTimeout: 'background',
      timeout: within(1_000),
      jobs: table,
    });
    expect(partial.status).toBe('background');
    expect(isSame(partial.stdout, BYTES.slice(0, 1000))).toBe(true);
    const later = table.read<'buffer'>(partial.jobId ?? '', partial.cursor ?? 0);
    expect(later.data).toHaveLength(0);
  });

  it('searches no pattern', async () => {
    await using table = new Jobs();
    const job = table.start('exec sleep 60', { encoding: 'buffer' });
    const message = "Invalid option 'options.pattern': expected nothing next to encoding: 'buffer'";
    await expect(job.ready({ pattern: 'x' })).rejects.toThrow(message);
  });
});

describe("a BashJob with encoding: 'buffer'", () => {
  it('has the bytes of its streams, without the text of an answer', async () => {
    const command = String.raw`printf '\377\0'; printf '\376' >&2; exit 3`;
    const job = new BashJob({ command }, '/', false, { encoding: 'buffer' });
    const parts: Uint8Array[] = [];
    job.on('data', (chunk) => parts.push(chunk));
    const { stdout, stderr, output, exitCode } = await job.result;
    expect([...stdout, ...stderr]).toEqual([0xff, 0, 0xfe]);
    expect(output).toEqual(new Uint8Array([0xff, 0, 0xfe]));
    expect(joined(parts)).toHaveLength(3);
    expect(exitCode).toBe(3);
  });

  it('has an error and no bytes for wrong arguments', async () => {
    const job = new BashJob({}, '/', false, { encoding: 'buffer' });
    const { output, error } = await job.result;
    expect({ output, code: error?.code }).toEqual({ output: new Uint8Array(), code: 'MISSING_COMMAND' });
  });

  it('refuses a view', () => {
    const options = { encoding: 'buffer', output: { view: true } } as const;
    expect(() => new BashJob({ command: 'true' }, '/', false, options)).toThrow(
      "Invalid option 'options.output.view': expected nothing next to encoding: 'buffer'",
    );
  });
});
