import { describe, expect, it } from 'vitest';
import { BashJob } from '../../index.js';
import { EventLog } from '../support/event-log.js';
import { scaled } from '../support/slowness.mjs';

const KIB = 1024;

async function chunksOf(command: string): Promise<string[]> {
  const job = new BashJob({ command }, '/');
  const received = new EventLog(job);
  await job.result;
  return received.chunks.map((chunk) => chunk.text);
}

describe('the chunks of a job', () => {
  it('join lines that are written one by one', async () => {
    const count = scaled(200_000);
    const chunks = await chunksOf(`i=0; while [ $i -lt ${count} ]; do echo $i; i=$((i+1)); done`);
    expect(chunks.join('').trimEnd().split('\n')).toEqual(Array.from({ length: count }, (_, i) => `${i}`));
    expect(chunks.length).toBeLessThan(5_000);
  });

  it.each([
    ['of zeros', 'head -c 5000000 /dev/zero'],
    ['of characters of three bytes', "yes '€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€' | head -n 50000"],
    ['of invalid bytes', "head -c 5000000 /dev/zero | tr '\\0' '\\377'"],
  ])('of a flood %s are not long', async (_, command) => {
    const chunks = await chunksOf(command);
    const longest = Math.max(...chunks.map((chunk) => Buffer.byteLength(chunk)));
    expect(longest).toBeLessThanOrEqual(100 * KIB);
  });

  it('are never empty', async () => {
    const chunks = await chunksOf("printf ''; printf '\\303'; sleep 0.1; printf '\\251'; printf '' >&2");
    expect(chunks).toEqual(['é']);
  });
});
