// A home and an environment with nothing in them: the start files of the user's shell would be measured otherwise.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @param profile what is in its .bash_profile, for the scenarios that measure start files */
export function makeHome(profile) {
  const home = mkdtempSync(join(tmpdir(), 'agent-bash-bench-'));
  process.on('exit', () => rmSync(home, { recursive: true, force: true }));
  if (profile) writeFileSync(join(home, '.bash_profile'), profile);
  return { home, env: { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8' } };
}
