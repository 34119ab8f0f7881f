// A home and an environment with nothing in them: the start files of the user's shell would be measured
// otherwise.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function makeHome() {
  const home = mkdtempSync(join(tmpdir(), 'agent-bash-bench-'));
  process.on('exit', () => rmSync(home, { recursive: true, force: true }));
  return { home, env: { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8' } };
}
