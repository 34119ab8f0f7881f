import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../../support/directory.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const VITEST: string = join(ROOT, 'node_modules/vitest/vitest.mjs');

/** Makes a project with the package in it, and returns its directory. */
export function project(files: Record<string, string>): string {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'node_modules'));
  for (const name of ['vitest', 'vite', 'rolldown']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(directory, 'node_modules', name));
  }
  symlinkSync(ROOT, join(directory, 'node_modules/agent-bash'));
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

/** Runs Node.js in a directory, and returns its exit code and what it has printed. */
export function node(
  cwd: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: unknown; text: string }> {
  const { CI: _, VITEST: __, NODE_OPTIONS: ___, ...usual } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd, env: { ...usual, ...env }, timeout: 50_000 },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, text: stdout + stderr }),
    );
  });
}
