// `agent-bash/testing/vitest`: a shell for each test of a file, and the matchers.

import { relative } from 'node:path';
import { matchers, resultSerializer } from 'agent-bash/testing';
import * as vitest from 'vitest';
import { beforeTests, ShellTests } from '#runners';
import type { ShellOptions, TestShell } from '../api.ts';
import type { RunnersTest } from '../shell/tests.ts';

const { afterAll, afterEach, beforeEach, expect } = vitest;

/** A task of vitest: a test, a group or a file. */
interface Task {
  id: string;
  name: string;
  type: string;
  suite?: Task | undefined;
  tasks?: Task[] | undefined;
  file: Task & { filepath: string };
  result?: { state: string } | undefined;
}

/** Versions before 4.1 lack it. */
type AroundEach = (act: (run: () => Promise<void>, context: { task: unknown }) => Promise<void>) => void;

expect.extend(matchers as never);
expect.addSnapshotSerializer(resultSerializer as never);

const testFile = expect.getState().testPath;
beforeTests(testFile, `npx vitest run ${relative(process.cwd(), testFile ?? '')}`);

export function useShell(given?: ShellOptions): TestShell {
  const tests = new ShellTests(given);
  let file: Task['file'] | undefined;
  const seen = (task: unknown) => {
    ({ file } = task as Task);
    return testOf(task as Task);
  };
  const { aroundEach } = vitest as { aroundEach?: AroundEach };
  if (aroundEach !== undefined) {
    aroundEach((run, { task }) => tests.around(seen(task), run, () => hasPassed(task as Task)));
  } else {
    beforeEach(({ task }) => tests.begin(seen(task)));
    afterEach(({ task }) => tests.end(seen(task), hasPassed(task as never)));
  }
  afterAll(() => {
    if (file === undefined) return;
    const note = tests.close(namesIn(file), `npx vitest run ${relative(process.cwd(), file.filepath)}`);
    if (note !== null) console.warn(note);
  });
  return tests.shell;
}

function hasPassed({ result }: Task): boolean {
  return result?.state !== 'fail' && result?.state !== 'skip';
}

function testOf(task: Task): RunnersTest {
  const names = namesOf(task);
  const file = task.file.filepath;
  const filter = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join(' ');
  const again = `npx vitest run ${relative(process.cwd(), file)} -t ${JSON.stringify(filter)}`;
  return { id: task.id, file, name: names.join(' > '), again };
}

/** Returns the names of a test and of the groups around it. */
function namesOf(task: Task): string[] {
  const names = [task.name];
  for (let { suite } = task; suite !== undefined && suite.type === 'suite'; { suite } = suite) {
    if (suite.suite !== undefined || suite.name !== '') names.unshift(suite.name);
  }
  return names;
}

/** Returns the names of all tests of a file, also of those that a filter leaves out. */
function namesIn({ tasks = [] }: Task): string[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? namesIn(task) : [namesOf(task).join(' > ')]));
}

export * from 'agent-bash/testing';
