import { expect, it } from 'vitest';
import { Jobs } from '../../index.js';

/** Blocks the event loop, as a program does that computes. */
function block(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('A loop that begins in the turn of its job gets all output, however late the turn ends', async () => {
  await using jobs = new Jobs();
  let size = 0;
  const job = jobs.start('head -c 1000000 /dev/zero', { encoding: 'buffer' });
  // The command has written what the pipe takes, and the engine has read what it may.
  block(500);
  for await (const { data } of job) size += data.length;
  expect(size).toBe(1_000_000);
});

it('A command without a reader does not wait beyond the turn of its job', async () => {
  await using jobs = new Jobs();
  const job = jobs.start('head -c 1000000 /dev/zero; echo end >&2');
  block(500);
  expect(await job.result).toMatchObject({ status: 'exited', totalBytes: { stdout: 1_000_000, stderr: 4 } });
});
