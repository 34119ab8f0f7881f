import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';
import type { Resources } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

/** Counts around `use`, in a Node that has run some commands already. */
function counted(use: string): Promise<{ before: Resources; after: Resources }> {
  return askNode(
    `
      // The first commands start the engine, both of its spawners and the guardian.
      await Promise.all(Array.from({ length: 20 }, () => bash({ command: 'true' }, root)));
      await until(isCalm, 'the engine is calm');
      const before = resources();
      ${use}
      // Short-lived processes and threads end soon; leaks stay.
      const same = () => JSON.stringify(resources()) === JSON.stringify(before);
      await until(same, 'the counts are the same again').catch(() => {});
      const after = resources();
      console.log(JSON.stringify({ before, after }));
    `,
    { tag: tag() },
  );
}

describe('the descriptors, threads and children of Node are the same', () => {
  it.each([
    [
      'after 200 commands at once',
      "await Promise.all(Array.from({ length: 200 }, () => bash({ command: 'echo hi; sleep 0.2' }, root)));",
    ],
    [
      'after 200 jobs at once',
      `await Promise.all(Array.from({ length: 200 }, () => {
        const job = new BashJob({ command: 'seq 100; sleep 0.2' }, root);
        job.on('data', () => {});
        return job.result;
      }));`,
    ],
    [
      'after 100 kills',
      `await Promise.all(Array.from({ length: 100 }, (_, index) => {
        const job = new BashJob({ command: 'setsid sleep ' + TAG + ' & sleep ' + TAG }, root);
        setTimeout(() => job.kill(index % 2 ? 'SIGKILL' : 'SIGTERM'), index);
        return job.result;
      }));`,
    ],
    [
      'after 100 timeouts',
      `await Promise.all(Array.from({ length: 100 }, (_, index) =>
        new BashJob({ command: 'sleep ' + TAG + ' & echo' }, root, false, { timeout: 1 + index }).result));`,
    ],
    [
      'after 100 aborts',
      `await Promise.all(Array.from({ length: 100 }, (_, index) =>
        new BashJob({ command: 'sleep ' + TAG }, root, false, { signal: AbortSignal.timeout(index) }).result));`,
    ],
    [
      'after 200 failures to launch',
      `await Promise.all(Array.from({ length: 200 }, (_, index) =>
        bash({ command: ['true', 'swift test'][index % 2] }, ['/nowhere', '/'][index % 2], index % 2 === 1)));`,
    ],
    [
      'after 20 long commands',
      `await Promise.all(Array.from({ length: 20 }, () => bash({ command: ": '" + 'x'.repeat(200_000) + "'" }, root)));`,
    ],
    [
      'after 50 readers that broke off',
      `await Promise.all(Array.from({ length: 50 }, async () => {
        const job = new BashJob({ command: 'seq 50000' }, root);
        for await (const _ of job) break;
        return job.result;
      }));`,
    ],
  ])('%s', async (_, use) => {
    const { before, after } = await counted(use);
    expect(after).toEqual(before);
  });
});

describe('the engine', () => {
  it('has one I/O thread, one scan thread and at most two spawners', async () => {
    const { after } = await counted(
      "await Promise.all(Array.from({ length: 100 }, () => bash({ command: 'true' }, root)));",
    );
    const count = (start: string) => after.threads.filter((name) => name.startsWith(start)).length;
    const [io, scan] = [count('agent-bash-io'), count('agent-bash-scan')];
    expect({ io, scan, all: count('agent-bash') - count('agent-bash-sp') }).toEqual({
      io: 1,
      scan: 1,
      all: 2,
    });
    expect(count('agent-bash-sp')).toBeLessThanOrEqual(2);
  });

  it('gives its commands no descriptor that Node itself would not give', async () => {
    const { ours, of } = await askNode<{ ours: string; of: string }>(`
      import { spawnSync } from 'node:child_process';
      import { openSync } from 'node:fs';
      openSync('/dev/zero');
      // A job that runs has pipes and a pidfd.
      const job = new BashJob({ command: 'exec sleep 60' }, root);
      await until(() => job.pid, 'it runs');
      const ours = await bash({ command: 'ls /proc/self/fd' }, root);
      job.kill('SIGKILL');
      const of = spawnSync('/bin/sh', ['-c', 'ls /proc/self/fd'], { encoding: 'utf8' }).stdout;
      console.log(JSON.stringify({ ours, of }));
    `);
    expect(ours).toBe(`${of}\n[Exit code: 0]`);
  });
});
