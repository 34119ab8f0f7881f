import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';

const COMMAND = 'i=0; while [ $i -lt 2000 ]; do echo "out $i"; echo "err $i" >&2; i=$((i + 1)); done';
const ordered = Array.from({ length: 2_000 }, (_, index) => `out ${index}\nerr ${index}\n`).join('');

describe('with merge both streams', () => {
  it('are one, in the order in which they were written', async () => {
    const { stdout, stderr, totalBytes } = await run(COMMAND, { output: { merge: true }, shell: '/bin/sh' });
    expect(stdout).toBe(ordered);
    expect({ stderr, totalBytes }).toEqual({ stderr: '', totalBytes: { stdout: ordered.length, stderr: 0 } });
  });

  it('are in this order for listeners and readers of a job too', async () => {
    const table = new Jobs();
    const job = table.start(COMMAND, { output: { merge: true }, shell: '/bin/sh' });
    let received = '';
    job.on('data', (text, stream) => {
      expect(stream).toBe('stdout');
      received += text;
    });
    await job.result;
    expect(received).toBe(ordered);
    expect(job.read().text).toBe(ordered);
    await table.dispose();
  });
});

describe('without it', () => {
  it('each stream is in its own order', async () => {
    const { stdout, stderr } = await run(COMMAND, { shell: '/bin/sh' });
    expect(stdout).toBe(ordered.replace(/err \d+\n/g, ''));
    expect(stderr).toBe(ordered.replace(/out \d+\n/g, ''));
  });

  it('chunks come in the order in which they were written, with pauses in between', async () => {
    const table = new Jobs();
    const job = table.start('echo 1; sleep 0.1; echo 2 >&2; sleep 0.1; echo 3');
    const received: string[] = [];
    job.on('data', (text, stream) => received.push(`${stream} ${text}`));
    await job.result;
    expect(received).toEqual(['stdout 1\n', 'stderr 2\n', 'stdout 3\n']);
    expect(job.read().chunks.map(({ stream, text }) => `${stream} ${text}`)).toEqual(received);
    await table.dispose();
  });
});
