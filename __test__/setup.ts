import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildStaleBundle, refuseStaleAddon } from '../scripts/stale.mjs';
import { programs, until } from './support/processes.mjs';

/** The helper program of this repository, which guards hosts and builds sandboxes. */
const HELPER = fileURLToPath(new URL('../agent-bash-helper.', import.meta.url));

/**
 * Gives the tests an empty home, so that no shell reads the startup files of whoever runs them.
 * `AGENT_BASH_TEST_ADDON` names another addon than that of the last build.
 * Cargo, rustup and npm keep their files where they are: tests that build or install need them.
 * After the tests, no helper program may be left: but for a run inside of a test
 * (`AGENT_BASH_TEST_IS_INNER`), beside which the helper programs of others come and go. A bundle that is
 * older than `lib/` is built, an addon that is older than `src/` is an error.
 */
export function setup(): () => Promise<void> {
  buildStaleBundle();
  if (process.env.AGENT_BASH_TEST_ADDON === undefined) refuseStaleAddon();
  const before = programs(HELPER);
  const home = homedir();
  process.env.CARGO_HOME ??= join(home, '.cargo');
  process.env.RUSTUP_HOME ??= join(home, '.rustup');
  process.env.npm_config_userconfig ??= join(home, '.npmrc');
  process.env.npm_config_cache ??= join(home, '.npm');
  const empty = mkdtempSync(join(tmpdir(), 'agent-bash-test-home-'));
  process.env.HOME = empty;
  // Vitest itself has addons that heed this variable of napi-rs, so it is set for the tests alone.
  const addon = process.env.AGENT_BASH_TEST_ADDON;
  if (addon !== undefined) process.env.NAPI_RS_NATIVE_LIBRARY_PATH = addon;
  return async () => {
    rmSync(empty, { recursive: true, force: true });
    if (process.env.AGENT_BASH_TEST_IS_INNER !== undefined) return;
    const left = () => programs(HELPER).filter((pid) => !before.includes(pid));
    try {
      await until(() => left().length === 0, `no process of ${HELPER}* is left`);
    } catch (error) {
      // Vitest prints the error, and would exit with 0.
      process.exitCode = 1;
      throw error;
    }
  };
}
