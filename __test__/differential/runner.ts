import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Case } from './cases/case.js';
import { withEnvironment } from './environment.js';
import { type Engine, oracle } from './oracle.js';

export interface Answers {
  expected: string;
  actual: string;
}

/** An environment without the user's start files, which would affect every command. */
const BARE = { HOME: '/nonexistent', ZDOTDIR: undefined };

const BUSY = 'spawn ETXTBSY';

/** A fresh directory for one test file, without links in its path. */
export function temporaryDirectory(): string {
  return mkdtempSync(join(realpathSync(tmpdir()), 'agent-bash-'));
}

/** Asks the oracle, then the engine. Each finds the same directory, made anew, at the same path. */
export async function askBoth(engine: Engine, each: Case, dir: string): Promise<Answers> {
  let expected = BUSY;
  // Node gives up on a program that was just written while another test, on another thread, starts a process.
  for (let tries = 0; tries < 5 && expected.includes(BUSY); tries++) {
    expected = await ask(oracle, each, each.equivalent ?? each.args, dir);
  }
  const actual = await ask(engine, each, each.args, dir);
  rmSync(dir, { recursive: true, force: true });
  return { expected, actual };
}

function ask(engine: Engine, each: Case, args: unknown, dir: string): Promise<string> {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  each.setup?.(dir);
  const cwd = each.cwd === undefined ? dir : each.cwd(dir);
  return withEnvironment({ ...BARE, ...each.env?.(dir) }, () => engine(args, cwd, each.safeMode));
}
