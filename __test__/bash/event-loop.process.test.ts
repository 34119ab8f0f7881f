import { describe, expect, it } from 'vitest';
import { askNode, runNode } from '../support/node.js';

describe('bash() and the loop of its Node', () => {
  it('keeps Node alive until the answer has come', async () => {
    const { code, stdout } = await runNode(`
      bash({ command: 'sleep 0.5; echo hi' }, root).then((answer) => process.stdout.write(answer));
    `);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hi\n\n[Exit code: 0]' });
  });

  it('lets Node exit right after the answer', async () => {
    const { duration } = await askNode<{ duration: number }>(`
      await bash({ command: 'true' }, root);
      const start = performance.now();
      process.on('exit', () => console.log(JSON.stringify({ duration: performance.now() - start })));
    `);
    expect(duration).toBeLessThan(2_000);
  });

  it('does not lose the answer while JavaScript is busy', async () => {
    const answer = await askNode<string>(`
      const answer = bash({ command: 'echo hi' }, root);
      const end = Date.now() + 1_000;
      while (Date.now() < end);
      console.log(JSON.stringify(await answer));
    `);
    expect(answer).toBe('hi\n\n[Exit code: 0]');
  });

  it('ends a command in time while JavaScript is busy', async () => {
    const { duration, status } = await askNode<{ duration: number; status: string }>(`
      const job = new BashJob({ command: 'sleep 60' }, root, false, { timeout: 300 });
      // The start is a microtask.
      await Promise.resolve();
      const end = Date.now() + 3_000;
      while (Date.now() < end);
      const { durationMs, status } = await job.result;
      console.log(JSON.stringify({ duration: durationMs, status }));
    `);
    expect(status).toBe('timeout');
    // The command ended long before JavaScript could notice.
    expect(duration).toBeLessThan(2_500);
  });
});
