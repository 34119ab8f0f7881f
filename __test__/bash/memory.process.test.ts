import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';
import { scaled } from '../support/slowness.mjs';

const MIB = 1024 * 1024;

describe('the memory of bash()', () => {
  it('does not grow with 256 MiB of output', async () => {
    const { answer, growth } = await askNode<{ answer: string; growth: number }>(`
      // The first command also pays for one-time allocations.
      for (let count = 0; count < 3; count++) await bash({ command: 'head -c 4194304 /dev/zero' }, root);
      const before = residentMemory();
      let most = before;
      const look = setInterval(() => { most = Math.max(most, residentMemory()) }, 5);
      const answer = await bash({ command: 'head -c ${scaled(256 * MIB)} /dev/zero' }, root);
      clearInterval(look);
      console.log(JSON.stringify({ answer: answer.slice(102_400), growth: most - before }));
    `);
    expect(answer).toBe('\n[Output truncated at 100KB]\n[Exit code: 0]');
    expect(growth).toBeLessThan(8 * MIB);
  });
});
