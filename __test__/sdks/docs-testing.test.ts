// The examples of docs/testing.md for vitest, as they stand: recorded in a project, and replayed as in CI.

import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Program } from '../support/pages.js';
import { compileErrors, textOf } from '../support/pages.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The files of the examples, by the comments in which they begin. */
const FILES: [string, string][] = [
  ...textOf('docs/testing.md').matchAll(/^```typescript\n(.*?)^```$/gms),
].flatMap(([, block = '']) =>
  [...block.matchAll(/^\/\/ (\S+\.ts)\n(.*?)(?=^\/\/ \S+\.ts\n|$(?![\s\S]))/gms)].map(
    ([, name = '', text = '']): [string, string] => [name, text],
  ),
);
const TESTS = FILES.map(([name]) => name).filter((name) => name.endsWith('.test.ts'));

/** Variables with which a test, and a program that it starts, find no addon. */
const WITHOUT_ADDON = { NAPI_RS_NATIVE_LIBRARY_PATH: '/no/addon.node' };

// Not here: vitest compiles nothing below node_modules.
const directory = mkdtempSync(join(tmpdir(), 'agent-bash-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

beforeAll(() => {
  for (const [name, text] of FILES) write(name, text);
  write('package.json', JSON.stringify({ type: 'module', scripts: { test: 'true' } }));
  // The project of the agent, with a program that repairs it.
  write('fixtures/app/package.json', JSON.stringify({ scripts: { test: 'grep -q let src/a.js' } }));
  write('fixtures/app/src/a.js', 'var a\n');
  write('fixtures/app/node_modules/.bin/fix', '#!/bin/sh\nsed -i s/var/let/ "$1"/*.js\n');
  chmodSync(join(directory, 'fixtures/app/node_modules/.bin/fix'), 0o755);
  mkdirSync(join(directory, 'node_modules'));
  const link = (from: string, names: string[]) => {
    for (const name of names)
      symlinkSync(join(from, 'node_modules', name), join(directory, 'node_modules', name));
  };
  link(ROOT, ['vitest', 'vite', 'rolldown']);
  link(HERE, ['agent-bash', 'ai', '@modelcontextprotocol']);
  mkdirSync(join(directory, 'node_modules/.bin'));
  symlinkSync(
    join(HERE, 'node_modules/agent-bash/entry/cli.js'),
    join(directory, 'node_modules/.bin/agent-bash'),
  );
  const me = ['-c', 'user.name=x', '-c', 'user.email=x@localhost'];
  const git = (...words: string[]) =>
    execFileSync('git', [...me, ...words], { cwd: directory, stdio: 'ignore' });
  git('init');
  git('commit', '--allow-empty', '-m', 'one');
  git('tag', '-a', 'v1.2.3', '-m', 'one');
});

/** Runs vitest in the project, with the variables of a person's shell, and returns what it has printed. */
function vitest(words: string[], env: NodeJS.ProcessEnv): Promise<{ code: unknown; text: string }> {
  const { CI: _, VITEST: __, NODE_OPTIONS: ___, AGENT_BASH_CASSETTES: ____, ...usual } = process.env;
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--configLoader', 'runner', ...words];
  return new Promise((resolve) => {
    const options = {
      cwd: directory,
      env: { ...usual, GIT_CONFIG_GLOBAL: '/dev/null', ...env },
      timeout: 100_000,
    };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, text: stdout + stderr }),
    );
  });
}

it('the page has an example of each kind', () => {
  expect(TESTS).toEqual(['release.test.ts', 'repair.test.ts', 'deploy.test.ts', 'server.test.ts']);
});

it('the examples compile in strict mode', () => {
  const programs = FILES.filter(([, text]) => !text.includes("'./release.js'")).map(
    ([place, source]): Program => ({ place, language: 'ts', source }),
  );
  expect(compileErrors(programs, join(HERE, 'tsconfig.json'))).toEqual(programs.map(() => []));
});

it('the examples record at first, and are replayed in CI where nothing of it is left', async () => {
  const first = await vitest(['--testTimeout', '40000'], {});
  expect(first.text).toContain('4 passed');
  expect(first.code).toBe(0);
  rmSync(join(directory, '.git'), { recursive: true });
  rmSync(join(directory, 'fixtures/app/node_modules'), { recursive: true });
  write('package.json', JSON.stringify({ type: 'module' }));
  const second = await vitest(['--testTimeout', '40000'], { CI: '1' });
  expect(second.text).toContain('4 passed');
  expect(second.code).toBe(0);
  // Also where there is no addon, in the tests and in the server that one of them starts.
  write('vitest.config.mjs', `export default ${JSON.stringify({ test: { env: WITHOUT_ADDON } })}`);
  const third = await vitest([], { CI: '1' });
  expect(third.text).toContain('4 passed');
  expect(third.code).toBe(0);
}, 200_000);
