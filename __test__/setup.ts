import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives the tests an empty home, so that no shell reads the startup files of whoever runs them.
 * `AGENT_BASH_TEST_ADDON` names another addon than that of the last build.
 * Cargo, rustup and npm keep their files where they are: tests that build or install need them.
 */
export function setup(): () => void {
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
  return () => rmSync(empty, { recursive: true, force: true });
}
