import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';
import { scaled } from '../support/slowness.mjs';

const MIB = 1024 * 1024;

/** Runs `use`, which has a `job` that floods for two seconds, and tells how much the memory grew. */
function flood(use: string): Promise<{ growth: number; bytes: number }> {
  return askNode(`
    for (let count = 0; count < 3; count++) await new BashJob({ command: 'head -c 4194304 /dev/zero' }, root).result;
    const before = residentMemory();
    let most = before;
    const look = setInterval(() => { most = Math.max(most, residentMemory()) }, 5);
    const job = new BashJob({ command: 'exec yes' }, root, false, { timeout: 2_000 });
    ${use}
    const { totalBytes } = await job.result;
    clearInterval(look);
    console.log(JSON.stringify({ growth: most - before, bytes: totalBytes.stdout }));
  `);
}

describe('the memory of a job that floods', () => {
  it('does not grow without a reader', async () => {
    const { growth, bytes } = await flood('');
    expect(growth).toBeLessThan(8 * MIB);
    expect(bytes).toBeGreaterThan(scaled(50 * MIB));
  });

  it('does not grow when a reader does not read on', async () => {
    const { growth } = await flood('await job[Symbol.asyncIterator]().next();');
    expect(growth).toBeLessThan(16 * MIB);
  });

  it('does not grow when a reader is slow', async () => {
    const { growth } = await flood(`
      for await (const chunk of job) await deliberateDelay(20);
    `);
    expect(growth).toBeLessThan(24 * MIB);
  });

  it('does not grow when the loop is busy', async () => {
    const { growth } = await flood(`
      job.on('data', () => {});
      await Promise.resolve();
      const end = Date.now() + 1_500;
      while (Date.now() < end);
      most = Math.max(most, residentMemory());
    `);
    // Memory that the garbage collector has not freed yet counts too.
    expect(growth).toBeLessThan(48 * MIB);
  });

  it('is freed after once("data")', async () => {
    const { growth, bytes } = await flood("job.once('data', () => {});");
    expect(growth).toBeLessThan(16 * MIB);
    expect(bytes).toBeGreaterThan(scaled(50 * MIB));
  });
});
