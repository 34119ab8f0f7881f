// The types of agent-bash/testing/jest.

import type { Match, ShellOptions, TestShell } from '../api.ts';

export * from '../api.ts';

/**
 * Gives each test of this file, or of the group around the call, a shell: registers `beforeEach` and
 * `afterEach`. Concurrent tests use `withShell()`.
 *
 * @example
 * const shell = useShell();
 * test('reads the tag', async () => {
 *   assert.match((await run('git describe --tags')).stdout, /^v/); // recorded once, then replayed
 *   assert.equal(shell.commands.length, 1);
 * });
 */
export declare function useShell(options?: ShellOptions): TestShell;

declare global {
  namespace jest {
    interface Matchers<R> {
      /** Some simple command of the shell matches; with `times`, that many command lines. */
      toHaveRun(match: Match, options?: { times?: number }): void;
      /** Commands match in this order; others may run between them. */
      toHaveRunInOrder(matches: Match[]): void;
      /** Exactly these files below `root` changed. Needs the option `files`. */
      toHaveTouched(paths: string[]): void;
    }
  }
}
