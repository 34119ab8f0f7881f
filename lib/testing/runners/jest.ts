// `agent-bash/testing/jest`: a shell for each test of a file, and the matchers.

import { relative } from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from '@jest/globals';
import { matchers, resultSerializer } from 'agent-bash/testing';
import { beforeTests, ShellTests } from '#runners';
import type { ShellOptions, TestShell } from '../api.ts';
import type { RunnersTest } from '../shell/tests.ts';

expect.extend(matchers as never);
expect.addSnapshotSerializer(resultSerializer as never);

const testFile = expect.getState().testPath;
beforeTests(testFile, `npx jest ${relative(process.cwd(), testFile ?? '')}`);

export function useShell(given?: ShellOptions): TestShell {
  const tests = new ShellTests(given);
  beforeEach(() => tests.begin(currentTest()));
  // Jest does not tell here whether the test passed.
  afterEach(() => tests.end(currentTest(), true));
  afterAll(() => {
    tests.close(undefined, '');
  });
  return tests.shell;
}

function currentTest(): RunnersTest {
  const { currentTestName: name = '', testPath: file = '' } = expect.getState();
  const pattern = JSON.stringify(name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return { file, name, again: `npx jest ${relative(process.cwd(), file)} -t ${pattern}` };
}

export * from 'agent-bash/testing';
