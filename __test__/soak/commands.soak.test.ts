import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';
import type { Resources } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const MIB = 1024 * 1024;

interface Report {
  wrong: string[];
  before: Resources;
  after: Resources;
  growth: number;
}

/** 2,000 commands of all kinds, up to 16 at once, each of which checks its own result. */
const PROGRAM = `
  import assert from 'node:assert/strict';
  const kinds = [
    async (n) => assert.equal(await bash({ command: 'echo ' + n }, root), n + '\\n\\n[Exit code: 0]'),
    async (n) => assert.equal(await bash({ command: 'echo e >&2; exit ' + (n % 256) }, root), 'e\\n\\n[Exit code: ' + (n % 256) + ']'),
    async () => assert.equal((await bash({ command: 'seq 50000' }, root)).length, 102_400 + 43),
    async () => assert.equal(await bash({ command: 'wc -c /dev/null' }, root, true), '0 /dev/null\\n\\n[Exit code: 0]'),
    async () => assert.equal(await bash({ command: 'rm x' }, root, true), 'Error: Command not allowed in safe mode'),
    async () => assert.match(await bash({ command: 'true' }, '/nowhere'), /ENOENT$/),
    async () => assert.equal(await bash({ command: 'kill -9 $$' }, root), '\\n[Exit code: 137]'),
    async (n) => {
      let text = '';
      const job = new BashJob({ command: 'seq ' + n + '; exit 3' }, root);
      job.on('data', (chunk) => { text += chunk });
      const { exitCode, status } = await job.result;
      assert.deepEqual([exitCode, status], [3, 'exited']);
      assert.equal(text.split('\\n').length, n + 1);
    },
    async () => {
      let length = 0;
      for await (const { text } of new BashJob({ command: 'head -c 1000000 /dev/zero' }, root)) length += text.length;
      assert.equal(length, 1_000_000);
    },
    async () => {
      const job = new BashJob({ command: 'sleep ' + TAG + ' & echo up; wait' }, root);
      job.once('data', () => job.kill('SIGKILL'));
      const { status, signal } = await job.result;
      assert.deepEqual([status, signal], ['signaled', 'SIGKILL']);
    },
    async (n) => {
      const job = new BashJob({ command: 'sleep ' + TAG }, root, false, { timeout: 1 + (n % 50) });
      assert.equal((await job.result).status, 'timeout');
    },
    async (n) => {
      const signal = AbortSignal.timeout(n % 50);
      const job = new BashJob({ command: 'setsid sleep ' + TAG + ' & wait' }, root, false, { signal });
      assert.equal((await job.result).status, 'aborted');
    },
    async () => {
      const job = new BashJob({ command: 'true' }, root);
      job.kill();
      assert.equal((await job.result).status, 'aborted');
    },
  ];
  const wrong = [];
  async function run(from, to) {
    let next = from;
    const one = async () => {
      while (next < to) {
        const number = next++;
        await kinds[number % kinds.length](number).catch((error) => {
          wrong.push('kind ' + (number % kinds.length) + ': ' + error.message);
        });
      }
    };
    await Promise.all(Array.from({ length: 16 }, one));
  }
  await run(0, 200);
  await until(isCalm, 'the engine is calm').catch(() => {});
  const before = resources();
  const memory = residentMemory();
  await run(200, 2_200);
  const same = () => JSON.stringify(resources()) === JSON.stringify(before);
  await until(same, 'the counts are the same again').catch(() => {});
  const left = await until(() => living(TAG).length === 0, 'none is left').then(() => 0, () => living(TAG).length);
  if (left > 0) wrong.push(left + ' processes are left');
  const after = resources();
  console.log(JSON.stringify({ wrong, before, after, growth: residentMemory() - memory }));
`;

describe('2,000 commands of all kinds', () => {
  it('answer as they should and leave nothing', { timeout: 180_000 }, async () => {
    // The young generation of Node 24 alone may grow to 100 MiB.
    const flags = ['--max-semi-space-size=4'];
    const { wrong, before, after, growth } = await askNode<Report>(PROGRAM, { tag: tag(), flags });
    expect(wrong).toEqual([]);
    expect(after).toEqual(before);
    // The heap of JavaScript breathes; a leak of what a command has (100 KiB) would be 200 MiB.
    expect(growth).toBeLessThan(48 * MIB);
  });
});
