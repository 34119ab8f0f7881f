import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { newFile, outputOf, readCast } from './cast.js';
import { played } from './player.js';

/** Keeps the event loop busy, as an agent does that works without a break. */
function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Returns the sum of the gaps of a recording. */
function missingIn(file: string): number {
  const gaps = readCast(file).comments.filter(({ type }) => type === 'gap');
  return gaps.reduce((sum, { bytes }) => sum + (bytes as number), 0);
}

describe('output that comes while the event loop is busy', () => {
  it('has the times at which it came', async () => {
    const file = newFile();
    await using jobs = new Jobs({ record: file });
    const job = jobs.start('for i in 1 2 3 4; do echo $i; sleep 0.3; done');
    await job.ready({ pattern: '1' });
    busy(1_500);
    await job.result;
    await jobs.dispose();
    const { events } = readCast(file);
    let time = 0;
    const times = events.flatMap(([interval, code, data]) => {
      time += interval;
      return code === 'o' && /^\d\r\n$/.test(data) ? [time] : [];
    });
    expect(times).toHaveLength(4);
    for (const [index, at] of times.slice(1).entries()) expect(at - times[index]).toBeGreaterThan(0.05);
    // The end has the time of the command's own duration.
    expect(time - times[0]).toBeLessThan(1.5);
  });

  it('is a gap with its length where it is more than the buffer', async () => {
    const file = newFile();
    await using jobs = new Jobs({ record: file });
    const job = jobs.start('echo first; read -r line; head -c 5000000 /dev/zero | tr "\\0" x', {
      stdin: 'pipe',
    });
    await job.ready({ pattern: 'first' });
    job.write('\n');
    busy(1_500);
    const { totalBytes } = await job.result;
    await jobs.dispose();
    const missing = missingIn(file);
    expect(missing).toBeGreaterThan(3_000_000);
    expect(Buffer.byteLength(outputOf(file)) - '\r'.length + missing).toBe(totalBytes.stdout);
    expect(readCast(file).markers.some((marker) => /^gap: \d+ bytes$/.test(marker))).toBe(true);
    await played(readFileSync(file, 'utf8'));
  });

  it('is all there with whenSlow wait, because the command waits', async () => {
    const file = newFile();
    const result = run('seq 1000000', {
      record: { file, whenSlow: 'wait', maxCommandBytes: 100_000_000 },
      output: { maxBytes: 60_000_000 },
    });
    for (let round = 0; round < 10; round++) {
      busy(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { stdout, exitCode } = await result;
    expect(exitCode).toBe(0);
    expect(missingIn(file)).toBe(0);
    expect(outputOf(file).replaceAll('\r\n', '\n') === stdout).toBe(true);
  });
});

describe('the limit', () => {
  it('of a file ends the recording with its last whole line, and the command goes on', async () => {
    const file = newFile();
    const { exitCode, totalBytes, recording } = await run('seq 100000', {
      record: { file, maxBytes: 50_000 },
    });
    expect([exitCode, totalBytes.stdout]).toEqual([0, 588_895]);
    expect(recording).toMatchObject({ complete: false, error: { code: 'RECORDING_FULL' } });
    expect(statSync(file).size).toBeLessThanOrEqual(50_000);
    expect(recording?.bytes).toBe(statSync(file).size);
    const { output } = readCast(file);
    expect((await played(readFileSync(file, 'utf8'))).output).toBe(output);
  });

  it('of a command leaves a gap, and the end of its output', async () => {
    const file = newFile();
    const { stdout, recording } = await run('seq 100000', { record: { file, maxCommandBytes: 100_000 } });
    expect(recording).toMatchObject({ complete: true, error: null });
    const shown = outputOf(file).replaceAll('\r\n', '\n');
    expect(stdout.startsWith(shown.slice(0, 90_000))).toBe(true);
    expect(shown.endsWith(stdout.slice(-60_000))).toBe(true);
    expect(Buffer.byteLength(shown) + missingIn(file)).toBe(588_895);
  });

  it('of a command that waits for the recording lets it go', async () => {
    const file = newFile();
    const record = { file, maxCommandBytes: 1_000, whenSlow: 'wait' } as const;
    const { exitCode, totalBytes } = await run('seq 1000000', { record });
    expect([exitCode, totalBytes.stdout]).toEqual([0, 6_888_896]);
  });

  it('of a line is below a page, so that a kill leaves whole lines', async () => {
    const file = newFile();
    await run(
      'head -c 300000 /dev/zero | tr "\\0" "\\1"; seq 20000; head -c 100000 /dev/urandom | base64 -w 0',
      {
        record: file,
      },
    );
    const bytes = readFileSync(file);
    let start = 0;
    for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', start)) {
      const isEvent = bytes[start] === '['.charCodeAt(0);
      if (isEvent) expect(Math.floor(start / 4_096)).toBe(Math.floor(end / 4_096));
      start = end + 1;
    }
    await played(bytes.toString());
  });
});
