// `agent-bash/testing/node`: a shell for each test of a file, for node:test.

import { join, relative } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { beginTest, checkShell, currentShell, endTest } from 'agent-bash/testing';
import type { ShellOptions, TestShell } from '../../../types/testing/index.js';

/** The context of a test. Node.js 20 has only some of its properties. */
interface Context {
  name: string;
  fullName?: string | undefined;
  filePath?: string | undefined;
  passed?: boolean | undefined;
}

export function useShell(given?: ShellOptions): TestShell {
  const options = checkShell(given);
  let scope: ReturnType<typeof beginTest> | undefined;
  beforeEach((context) => {
    scope = beginTest(testOf(context as Context), options);
  });
  afterEach((context) => {
    // Before Node.js 22, nothing tells whether the test passed.
    if (scope !== undefined) endTest(scope, (context as Context).passed !== false);
  });
  return currentShell();
}

function testOf({ name, fullName, filePath }: Context): Parameters<typeof beginTest>[0] {
  // A program of `node -e` has no file.
  const file = filePath ?? process.argv[1] ?? join(process.cwd(), 'eval');
  const pattern = JSON.stringify(name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const again = `node --test --test-name-pattern=${pattern} ${relative(process.cwd(), file)}`;
  return { file, name: fullName ?? name, again };
}

export * from 'agent-bash/testing';
