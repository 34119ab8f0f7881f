import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run, type SandboxLevel } from 'agent-bash';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { workspace } from './support.js';

const LEVELS: SandboxLevel[] = ['read-only', 'workspace-write', 'isolated'];

/** The variables that programs read: `mktemp` the first one, libpam-tmpdir sets all. */
const NAMES = ['TMPDIR', 'TMP', 'TEMP', 'TEMPDIR'];

/** Makes a file in the directory of each variable, and prints the variable. */
const MAKE = `${NAMES.map((name) => `mktemp -p "$${name}" >/dev/null && echo "$${name}"`).join('; ')}; mktemp >/dev/null`;

/** Runs a command whose caller has these directories for temporary files, and returns its output. */
async function at(level: SandboxLevel, root: string, directory: string, more: object = {}) {
  const env = Object.fromEntries(NAMES.map((name) => [name, directory]));
  const { stdout, stderr, exitCode } = await run(MAKE, { root, sandbox: { level, ...more }, env });
  expect([stderr, exitCode]).toEqual(['', 0]);
  return new Set(stdout.trim().split('\n'));
}

/** Makes a directory in this one for a test. */
function directoryIn(parent: string): string {
  const path = mkdtempSync(join(parent, 'agent-bash-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A home for the commands of a test. */
function home(): string {
  const path = directoryIn('/var/tmp');
  vi.stubEnv('HOME', path);
  onTestFinished(() => void vi.unstubAllEnvs());
  return path;
}

describe('temporary files in a sandbox', { tags: ['sandbox'] }, () => {
  it.each(LEVELS)('have a directory where the one of the caller is below /tmp: %s', async (level) => {
    const { root } = workspace();
    const directory = join(directoryIn('/tmp'), 'user');
    mkdirSync(directory);
    expect(await at(level, root, directory)).toEqual(new Set(['/tmp']));
  });

  it('stay in the directory of the caller below /tmp with `tmp: host`', async () => {
    const { root } = workspace();
    const directory = directoryIn('/tmp');
    expect(await at('workspace-write', root, directory, { tmp: 'host' })).toEqual(new Set([directory]));
  });

  it.each([
    ['workspace-write', true],
    ['isolated', false],
    ['read-only', false],
  ] as const)('have a directory where the one of the caller is in the home: %s', async (level, stays) => {
    const directory = join(home(), 'tmp');
    mkdirSync(directory);
    const { root } = workspace();
    expect(await at(level, root, directory)).toEqual(new Set([stays ? directory : '/tmp']));
  });

  it.each(['workspace-write', 'isolated'] as const)('stay in the workspace: %s', async (level) => {
    const { root } = workspace();
    const directory = join(root, 'scratch');
    mkdirSync(directory);
    expect(await at(level, root, directory)).toEqual(new Set([directory]));
    expect(await at(level, root, directory, { protected: ['scratch'] })).toEqual(new Set(['/tmp']));
  });
});
