// The types of agent-bash/testing/node.

import type { ShellOptions, TestShell } from '../api.ts';

export * from '../api.ts';

/**
 * Gives each test of this file, or of the suite around the call, a shell: registers `beforeEach` and
 * `afterEach` of `node:test`. Concurrent tests use `withShell()`. Before Node.js 22.6, names have no suites.
 *
 * @example
 * const shell = useShell();
 * test('reads the tag', async () => {
 *   assert.match((await run('git describe --tags')).stdout, /^v/); // recorded once, then replayed
 *   assert.equal(shell.commands.length, 1);
 * });
 */
export declare function useShell(options?: ShellOptions): TestShell;
