import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';

const SETUP = `
  const { AsyncLocalStorage } = await import('node:async_hooks');
  const { once } = await import('node:events');
  const { Jobs, run } = await import(${JSON.stringify(new URL('../../index.js', import.meta.url).href)});
  const storage = new AsyncLocalStorage();
  const isFreed = (reference) => {
    gc();
    return reference.deref() === undefined;
  };
  const table = new Jobs();
  const writeToCat = async () => {
    const job = table.start('cat', { stdin: 'pipe' });
    job.stdin.end('x', () => {});
    await once(job, 'exit');
  };
`;

/**
 * Runs \`start\` in a store, as the first call of the process, and returns whether the store is freed after
 * its end.
 */
const first = (start: string) => `
  ${SETUP}
  const start = ${start};
  let store = { of: 'the first caller' };
  const reference = new WeakRef(store);
  let over = storage.run(store, start);
  store = undefined;
  await over;
  over = undefined;
  await until(() => isFreed(reference), 'the store is freed', 10_000).catch(() => {});
  console.log(JSON.stringify(isFreed(reference)));
  process.exit();
`;

describe('the AsyncLocalStorage store of the first caller', () => {
  it.each([
    ['bash()', "() => bash({ command: 'true' }, root)"],
    ['run()', "() => run('true')"],
    ['a BashJob', "() => new BashJob({ command: 'true' }, root).result"],
    ['a job that a table still keeps', "() => once(table.start('true'), 'exit')"],
    ['a job whose input was written to', 'writeToCat'],
  ])('is freed after %s', async (_, start) => {
    expect(await askNode<boolean>(first(start), { flags: ['--expose-gc'] })).toBe(true);
  });
});
