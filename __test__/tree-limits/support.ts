import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { cgroupRoot } from '../../scripts/machine.mjs';
import { until } from '../support/processes.mjs';

/** Makes a directory of cgroups for the tests of a file, and removes it with its processes after them. */
export function cgroupDirectory(): string {
  const path = join(cgroupRoot() ?? '/nowhere', `agent-bash-test-${process.pid}-${randomInt(10 ** 9)}`);
  // Hooks run only with a test: a file whose tests are all skipped makes nothing.
  beforeAll(() => {
    if (cgroupRoot() !== undefined) mkdirSync(path);
  });
  afterAll(async () => {
    if (!existsSync(path)) return;
    writeFileSync(join(path, 'cgroup.kill'), '1');
    await until(() => leaves(path).every((name) => isRemoved(join(path, name))), 'the cgroups are empty');
    rmdirSync(path);
  });
  return path;
}

/** Returns the names of the cgroups of commands in a directory. */
export function leaves(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function isRemoved(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
