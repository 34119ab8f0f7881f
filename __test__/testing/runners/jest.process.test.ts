import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { installFor } from '../../../scripts/downloads.mjs';
import { placePackage } from '../../install/support/repository.js';
import { temporaryDirectory } from '../../support/directory.js';
import { node } from './project.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const INSTALLED = join(HERE, 'node_modules');

beforeAll(() => installFor('__test__/testing/runners'), 300_000);

const TESTS = `
  const shell = useShell();
  test('reads the time', async () => {
    const { stdout } = await run('date +%s%N');
    process.stdout.write('STAMP ' + stdout);
    expect(shell).toHaveRun('date *');
    expect(shell).not.toHaveRun('ls');
  });
  test('waits under fake timers', async () => {
    jest.useFakeTimers();
    shell.fake('npm ci', faults.hang('fetching\\n'));
    expect(await run('npm ci', { timeout: 60_000 })).toMatchObject({ status: 'timeout', stdout: 'fetching\\n' });
    jest.useRealTimers();
  });
  test('records under fake timers', async () => {
    jest.useFakeTimers();
    expect((await run('sleep 0.1; echo hi')).stdout).toBe('hi\\n');
    jest.useRealTimers();
  });
  test('hides what changes in a snapshot', async () => {
    expect(await run('echo hi')).toMatchSnapshot();
  });
`;

const MODULES = {
  CommonJS: `
    const { jest: _, ...globals } = require('@jest/globals');
    const { run } = require('agent-bash');
    const { faults, useShell } = require('agent-bash/testing/jest');
    ${TESTS}`,
  'ES modules': `
    import { jest } from '@jest/globals';
    import { run } from 'agent-bash';
    import { faults, useShell } from 'agent-bash/testing/jest';
    ${TESTS}`,
};

/** Makes a project with the package in it, as npm would, and returns its directory. */
function project(type: string, text: string, options = {}): string {
  const directory = temporaryDirectory();
  placePackage(directory);
  for (const name of ['jest', '@jest']) {
    symlinkSync(join(INSTALLED, name), join(directory, 'node_modules', name));
  }
  mkdirSync(join(directory, 'tests'));
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({ type, jest: { transform: {}, ...options } }),
  );
  writeFileSync(join(directory, 'tests/a.test.js'), text);
  return directory;
}

function runJest(directory: string, env: NodeJS.ProcessEnv = {}, more: string[] = []) {
  const flags = ['--experimental-vm-modules', '--no-warnings'];
  // A cassette is written in the mode for people, which jest leaves where it finds CI.
  const words = [join(INSTALLED, 'jest/bin/jest.js'), '--no-cache', '--ci=false', ...more];
  return node(directory, [...flags, ...words], { JEST_WORKER_ID: undefined, ...env });
}

const stampIn = (text: string) => /STAMP (\d+)/.exec(text)?.[1];
const cassetteIn = (directory: string) => join(directory, 'tests/__cassettes__/a.test.js.json');

describe.each(Object.entries(MODULES))('with jest, in %s', (kind, text) => {
  it('a test records at first, and is replayed from then on', async () => {
    const directory = project(kind === 'CommonJS' ? 'commonjs' : 'module', text);
    const first = await runJest(directory);
    expect(first.text).toContain('4 passed');
    expect(Object.keys(JSON.parse(readFileSync(cassetteIn(directory), 'utf8')).tests)).toContain(
      'reads the time',
    );
    const second = await runJest(directory, { CI: '1' });
    expect(second.text).toContain('4 passed');
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(stampIn(second.text)).toBe(stampIn(first.text));
  }, 120_000);
});

it('with jest, timers that are fake before the package is loaded stop no replay', async () => {
  const text = `
    const { bash, run, ShellSession } = require('agent-bash');
    const { useShell } = require('agent-bash/testing/jest');
    useShell();
    test('runs', async () => {
      expect((await run('sleep 0.2; echo hi', { timeout: 9_000 })).stdout).toBe('hi\\n');
      expect(await bash({ command: 'echo hi' }, '/tmp')).toContain('hi');
      const session = new ShellSession();
      expect((await session.run('echo hi')).stdout).toBe('hi\\n');
      await session.close();
    });`;
  const directory = project('commonjs', text, { fakeTimers: { enableGlobally: true } });
  for (const env of [{}, { CI: '1' }]) expect((await runJest(directory, env)).text).toContain('1 passed');
}, 120_000);

it('with jest, sections of tests that did not run are removed by request', async () => {
  const tests = (...names: string[]) => `
    const { run } = require('agent-bash');
    const { useShell } = require('agent-bash/testing/jest');
    useShell();
    ${names.map((name) => `test('${name}', () => run('echo ${name}'));`).join('\n')}`;
  const directory = project('commonjs', tests('one', 'two'));
  await runJest(directory);
  writeFileSync(join(directory, 'tests/a.test.js'), tests('two'));
  await runJest(directory, { AGENT_BASH_CASSETTES: 'renew' });
  expect(Object.keys(JSON.parse(readFileSync(cassetteIn(directory), 'utf8')).tests)).toEqual(['two']);
}, 120_000);

it('with jest, a failure of the shell fails a test that swallows it', async () => {
  const swallows = `
    const { run } = require('agent-bash');
    const { useShell } = require('agent-bash/testing/jest');
    useShell();
    test('reads the tag', async () => { await run(process.env.COMMAND); });`;
  const directory = project('commonjs', swallows);
  await runJest(directory, { COMMAND: 'echo one' });
  const { code, text } = await runJest(directory, { COMMAND: 'echo two' });
  expect(code).toBe(1);
  expect(text).toContain('CASSETTE_MISS in "reads the tag": no recording of');
  expect(text).toContain('If meant: AGENT_BASH_CASSETTES=record npx jest tests/a.test.js -t "reads the tag"');
}, 120_000);
