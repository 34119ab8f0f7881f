// The types of agent-bash/testing/vitest.

import 'vitest';
import type { Match, ShellOptions, TestShell } from '../api.ts';

export * from '../api.ts';

/**
 * Gives each test of this file, or of the group around the call, a shell, also concurrent ones: by
 * `aroundEach`. Before vitest 4.1 it registers `beforeEach` and `afterEach`, and concurrent tests use
 * `withShell()`.
 *
 * @example
 * const shell = useShell();
 * test('reads the tag', async () => {
 *   assert.match((await run('git describe --tags')).stdout, /^v/); // recorded once, then replayed
 *   assert.equal(shell.commands.length, 1);
 * });
 */
export declare function useShell(options?: ShellOptions): TestShell;

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as vitest declares it
  interface Matchers<T = any> {
    /** Some simple command of the shell matches; with `times`, that many command lines. */
    toHaveRun(match: Match, options?: { times?: number }): void;
    /** Commands match in this order; others may run between them. */
    toHaveRunInOrder(matches: Match[]): void;
    /** Exactly these files below `root` changed. Needs the option `files`. */
    toHaveTouched(paths: string[]): void;
  }
}
