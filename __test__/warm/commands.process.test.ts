import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { themes } from '../differential/cases/index.js';
import { temporaryDirectory } from '../support/directory.js';
import { ALIKE, REFUSED } from './commands.js';
import { both, SHELLS } from './support.js';

const root = temporaryDirectory();
let directories = 0;

/** The commands that a warm shell ran. */
const ranWarm = new Set<string>();

function fresh(): string {
  directories += 1;
  const path = join(root, String(directories));
  mkdirSync(path);
  return path;
}

/** A home without start files. */
const HOME = fresh();

describe.concurrent.each(SHELLS)('a warm %s', (name, { shell }) => {
  const own = name === 'bash' ? ALIKE.bash : ALIKE.zsh;

  it.each([...ALIKE.both, ...own])('answers as another one does: %j', async (command) => {
    const { warm, cold, wasWarm } = await both(command, { cwd: fresh(), env: { HOME }, shell });
    expect(warm).toEqual(cold);
    if (wasWarm) ranWarm.add(`${name} ${command}`);
  });

  it.each(REFUSED)('is not given: %j', async (command) => {
    const { warm, cold, wasWarm } = await both(command, { cwd: fresh(), env: { HOME }, shell });
    expect(warm).toEqual(cold);
    expect(wasWarm).toBe(false);
  });

  it('is not given a long command', async () => {
    const command = `echo ${'x'.repeat(9_000)}`;
    const { warm, cold, wasWarm } = await both(command, { cwd: fresh(), env: { HOME }, shell });
    expect(warm).toEqual(cold);
    expect(wasWarm).toBe(false);
  });
});

/** Some of the commands by which `bash()` is compared with its second implementation. */
describe.concurrent('the command of bash()', () => {
  const asked = (themes['the shell’s language'] ?? []).flatMap(
    ({ name, args, safeMode, setup, env, cwd }) => {
      const { command } = args as { command?: unknown };
      // Each command of run() has a limit of its own, which is its tag, and an end of its own for its last
      // program.
      const fits =
        typeof command === 'string' && !safeMode && !env && !cwd && !/ulimit -a|\$\$'|SHLVL/.test(command);
      return fits ? [{ name, command: String(command), setup }] : [];
    },
  );

  it.each(asked)('$name', async ({ command, setup }) => {
    const options = { cwd: fresh(), env: { HOME }, shell: ['/bin/bash', '-lc'] as [string, string] };
    const { warm, cold } = await both(command, options, setup);
    expect(warm).toEqual(cold);
  });

  it('is enough', () => {
    expect(asked.length).toBeGreaterThan(60);
  });
});

describe.each(SHELLS)('the suite of %s', (name) => {
  it('had its commands run by warm shells', () => {
    const count = [...ranWarm].filter((each) => each.startsWith(`${name} `)).length;
    expect(count).toBeGreaterThan(ALIKE.both.length / 2);
  });
});
