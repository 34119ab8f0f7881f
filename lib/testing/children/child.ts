// A child process or a worker of a test: it answers its commands from a section of its own, and reports to
// the test.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { enter } from '../double.ts';
import { Scope } from '../scope.ts';
import type { ChildPlan, ChildReport } from './children.ts';
import { childSection, makeDirectory, REPORT } from './children.ts';

/** Makes this thread a child of a test, for all of its life. */
export function joinTest(plan: ChildPlan): void {
  const { place, mode, root, options } = plan;
  const holes = Object.fromEntries(
    options.holes.map(([name, source, flags]) => [name, new RegExp(source, flags)]),
  );
  const { directory, number } = claimed(plan);
  const section = childSection(place.name, plan.name, number);
  const given = { ...options, holes, sandbox: options.sandbox as never };
  const scope = new Scope({ ...place, name: section }, mode, given, root);
  const report = () => write(directory, scope.report());
  scope.onChange = report;
  report();
  enter(scope);
}

/** Takes the next number that no other child of this name has. */
function claimed({ directory, name }: ChildPlan): { directory: string; number: number } {
  makeDirectory(directory);
  for (let number = 1; ; number++) {
    const own = join(directory, `${name}-${number}`);
    try {
      mkdirSync(own, { mode: 0o700 });
      return { directory: own, number };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function write(directory: string, report: ChildReport): void {
  const file = join(directory, REPORT);
  try {
    writeFileSync(`${file}.new`, JSON.stringify(report), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch {
    // The test is over, and has removed the directory.
  }
}
