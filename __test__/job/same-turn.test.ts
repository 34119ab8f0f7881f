import { expect, it } from 'vitest';
import { Jobs } from '../../index.js';
import { blockThread } from '../support/waits.mjs';

it.each([1_000_000, 64 * 1024 * 1024])(
  'a loop that begins late in the turn of its job gets all of %i bytes',
  async (length) => {
    await using jobs = new Jobs();
    const job = jobs.start(`head -c ${length} /dev/zero`, { encoding: 'buffer' });
    // The engine reads meanwhile what it may.
    blockThread(500);
    let size = 0;
    for await (const { data } of job) size += data.length;
    expect(size).toBe(length);
  },
);

it('a loop over the job that a start returns gets all of 64 MiB', async () => {
  await using jobs = new Jobs();
  let size = 0;
  const command = 'head -c 67108864 /dev/zero';
  for await (const { data } of jobs.start(command, { encoding: 'buffer' })) size += data.length;
  expect(size).toBe(67_108_864);
});
