// `agent-bash/testing/jest`: a shell for each test of a file, and the matchers.

import { relative } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { beginTest, checkShell, currentShell, endTest, matchers, resultSerializer } from 'agent-bash/testing';
import type { ShellOptions, TestShell } from '../../../types/testing/index.js';

expect.extend(matchers as never);
expect.addSnapshotSerializer(resultSerializer as never);

export function useShell(given?: ShellOptions): TestShell {
  const options = checkShell(given);
  let scope: ReturnType<typeof beginTest> | undefined;
  beforeEach(() => {
    scope = beginTest(currentTest(), options);
  });
  afterEach(() => {
    // Jest does not tell here whether the test passed.
    if (scope !== undefined) endTest(scope, true);
  });
  return currentShell();
}

function currentTest(): Parameters<typeof beginTest>[0] {
  const { currentTestName: name = '', testPath: file = '' } = expect.getState();
  const pattern = JSON.stringify(name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return { file, name, again: `npx jest ${relative(process.cwd(), file)} -t ${pattern}` };
}

export * from 'agent-bash/testing';
