// `agent-bash/testing/vitest`: a shell for each test of a file, and the matchers.

import { relative } from 'node:path';
import { beginTest, checkShell, currentShell, endTest, matchers, resultSerializer } from 'agent-bash/testing';
import { afterEach, beforeEach, expect } from 'vitest';
import type { ShellOptions, TestShell } from '../../../types/testing/index.js';

/** A task of vitest: a test, a group or a file. */
interface Task {
  name: string;
  type: string;
  suite?: Task | undefined;
  file: { filepath: string };
  result?: { state: string } | undefined;
}

expect.extend(matchers as never);
expect.addSnapshotSerializer(resultSerializer as never);

export function useShell(given?: ShellOptions): TestShell {
  const options = checkShell(given);
  let scope: ReturnType<typeof beginTest> | undefined;
  beforeEach(({ task }) => {
    scope = beginTest(testOf(task as never), options);
  });
  afterEach(({ task }) => {
    if (scope !== undefined) endTest(scope, (task as unknown as Task).result?.state !== 'fail');
  });
  return currentShell();
}

function testOf(task: Task): Parameters<typeof beginTest>[0] {
  const names = [task.name];
  for (let { suite } = task; suite !== undefined && suite.type === 'suite'; { suite } = suite) {
    if (suite.suite !== undefined || suite.name !== '') names.unshift(suite.name);
  }
  const file = task.file.filepath;
  const filter = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join(' ');
  const again = `npx vitest run ${relative(process.cwd(), file)} -t ${JSON.stringify(filter)}`;
  return { file, name: names.join(' > '), again };
}

export * from 'agent-bash/testing';
