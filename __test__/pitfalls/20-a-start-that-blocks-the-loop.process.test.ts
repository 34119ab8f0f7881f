import { describe, expect, it } from 'vitest';
import { askNode, INDEX } from '../support/node.js';

/**
 * The largest gap between two turns of the loop while 64 commands are started in a Node with 300 MB of memory
 * (ms).
 */
function largestGap(start: string): Promise<{ gap: number; wrong: number }> {
  return askNode(`
    import { run } from ${JSON.stringify(INDEX)};
    import { spawn } from 'node:child_process';
    const heap = Array.from({ length: 300 }, () => Buffer.alloc(1024 * 1024, 1));
    await run('true');
    let [gap, last, isOver] = [0, performance.now(), false];
    const turn = () => {
      const now = performance.now();
      gap = Math.max(gap, now - last);
      last = now;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const results = await Promise.all(Array.from({ length: 64 }, (_, index) => (${start})(index)));
    isOver = true;
    const wrong = results.filter((text, index) => text !== index + '\\n').length;
    console.log(JSON.stringify({ gap, wrong, heap: heap.length }));
  `);
}

describe('the start of 64 commands in a large host', () => {
  it('leaves the loop free', async () => {
    const { gap, wrong } = await largestGap("async (index) => (await run('echo ' + index)).stdout");
    expect(wrong).toBe(0);
    // To start them on this thread takes longer than this.
    expect(gap).toBeLessThan(300);
  });
});
