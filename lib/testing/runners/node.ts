// `agent-bash/testing/node`: a shell for each test of a file, for node:test.

import { join, relative } from 'node:path';
import { after, afterEach, beforeEach } from 'node:test';
import { beforeTests, ShellTests } from '#runners';
import type { ShellOptions, TestShell } from '../api.ts';
import type { RunnersTest } from '../shell/tests.ts';

/** The context of a test. Node.js 20 has only some of its properties. */
interface Context {
  name: string;
  fullName?: string | undefined;
  filePath?: string | undefined;
  passed?: boolean | undefined;
}

const testFile = process.argv[1];
beforeTests(testFile, `node --test ${relative(process.cwd(), testFile ?? '')}`);

export function useShell(given?: ShellOptions): TestShell {
  const tests = new ShellTests(given);
  beforeEach((context) => tests.begin(testOf(context as Context)));
  afterEach((context) => {
    // Before Node.js 22, nothing tells whether the test passed.
    tests.end(testOf(context as Context), (context as Context).passed !== false);
  });
  after(() => {
    tests.close(undefined, '');
  });
  return tests.shell;
}

function testOf({ name, fullName, filePath }: Context): RunnersTest {
  // A program of `node -e` has no file.
  const file = filePath ?? process.argv[1] ?? join(process.cwd(), 'eval');
  const pattern = JSON.stringify(name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const again = `node --test --test-name-pattern=${pattern} ${relative(process.cwd(), file)}`;
  return { file, name: fullName ?? name, again };
}

export * from 'agent-bash/testing';
