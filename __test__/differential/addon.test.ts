import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { addon } from './engines.js';
import { temporaryDirectory } from './runner.js';

const root = temporaryDirectory();
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Cases that `child_process` can't answer, so that no oracle exists for them. */
describe('the addon, where the oracle can’t be asked', () => {
  it.each([32, 33, 34, 40, 64])('answers 128 + %i for a signal that Node has no name for', async (signal) => {
    expect(await addon({ command: `kill -${signal} $$` }, root, false)).toBe(
      `\n[Exit code: ${128 + signal}]`,
    );
  });

  it('reads the arguments at the call, not later', async () => {
    const args = { command: 'echo first' };
    const answer = addon(args, root, false);
    args.command = 'echo second';
    expect(await answer).toBe('first\n\n[Exit code: 0]');
  });

  it.each([
    [
      'a getter that throws',
      {
        get command(): string {
          throw new Error('thrown by the getter');
        },
      },
    ],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('thrown by the proxy');
          },
        },
      ),
    ],
    ['a revoked proxy', revoked()],
  ])('resolves to an error for %s', async (_, args) => {
    expect(await addon(args, root, false)).toMatch(/^Error: /);
  });

  it('gives each call a promise of its own', async () => {
    const first = addon({ command: 'echo 1' }, root, false);
    const second = addon({ command: 'echo 2' }, root, false);
    expect(first).toBeInstanceOf(Promise);
    expect(await Promise.all([second, first])).toEqual(['2\n\n[Exit code: 0]', '1\n\n[Exit code: 0]']);
  });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
