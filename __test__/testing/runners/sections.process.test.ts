import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { node, project, VITEST } from './project.js';

const HEAD = `
  import { useShell } from 'agent-bash/testing/vitest';
  import { describe, expect, test } from 'vitest';
  import { run } from 'agent-bash';
  const shell = useShell();
`;

const run = (directory: string, env: NodeJS.ProcessEnv = {}, more: string[] = []) =>
  node(directory, [VITEST, 'run', '--configLoader', 'runner', ...more], env);

const cassetteIn = (directory: string) => join(directory, '__cassettes__/a.test.js.json');
const sectionsIn = (directory: string) =>
  Object.keys(JSON.parse(readFileSync(cassetteIn(directory), 'utf8')).tests);

it('concurrent tests of a file each have their own shell', async () => {
  const text = `${HEAD}
    for (const name of ['a', 'b', 'c', 'd']) {
      test.concurrent(name, async () => {
        const first = await run('echo ' + name + '; sleep 0.1');
        await new Promise(setImmediate);
        const second = await run('date +%s%N');
        expect(first.stdout).toBe(name + '\\n');
        expect(shell.commands.map(({ command }) => command)).toEqual(['echo ' + name + '; sleep 0.1', 'date +%s%N']);
        console.log('STAMP', name, second.stdout.trim());
      });
    }`;
  const directory = project({ 'a.test.js': text });
  const stamps = ({ text: printed }: { text: string }) =>
    [...printed.matchAll(/STAMP (\w \d+)/g)].map(([, stamp]) => stamp).sort();
  const recorded = await run(directory);
  expect(sectionsIn(directory)).toEqual(['a', 'b', 'c', 'd']);
  const replayed = await run(directory, { CI: '1' });
  expect(replayed.text).toContain('4 passed');
  expect(replayed.code).toBe(0);
  expect(stamps(replayed)).toEqual(stamps(recorded));
});

it('tests with one name have sections of their own, and a skipped test has none', async () => {
  const text = `${HEAD}
    describe.each([1, 2])('a group', (number) => {
      test('works', async () => expect((await run('echo ' + number)).stdout).toBe(number + '\\n'));
    });
    test('is skipped', async ({ skip }) => {
      await run('echo some');
      skip();
    });`;
  const directory = project({ 'a.test.js': text });
  expect((await run(directory)).text).toContain('2 passed');
  expect(sectionsIn(directory)).toEqual(['a group > works', 'a group > works (2)']);
  expect((await run(directory, { AGENT_BASH_CASSETTES: 'replay' }, ['-t', 'works'])).text).toContain(
    '2 passed',
  );
});

it('the section of a test gets its new name, and one without a test stays until it is removed by request', async () => {
  const tests = (...names: [string, string][]) =>
    HEAD + names.map(([name, command]) => `test('${name}', () => run('${command}'));`).join('\n');
  const directory = project({
    'a.test.js': tests(['one', 'echo 1'], ['two', 'echo 2'], ['three', 'echo 3']),
  });
  const file = join(directory, 'a.test.js');
  await run(directory);
  writeFileSync(file, tests(['uno', 'echo 1'], ['three', 'echo 3']));
  const inCi = await run(directory, { CI: '1' });
  expect(inCi.text).toContain('CASSETTE_MISSING: "uno" has no recording');
  const second = await run(directory);
  expect(second.code).toBe(0);
  expect(second.text).toContain('__cassettes__/a.test.js.json has recordings without a test: "two".');
  expect(second.text).toContain('AGENT_BASH_CASSETTES=renew npx vitest run a.test.js');
  expect(sectionsIn(directory)).toEqual(['three', 'two', 'uno']);
  // A filter leaves tests out, which are not gone.
  const before = readFileSync(cassetteIn(directory), 'utf8');
  await run(directory, { AGENT_BASH_CASSETTES: 'renew' }, ['-t', 'uno']);
  expect(sectionsIn(directory)).toEqual(['three', 'uno']);
  expect(before).toContain('"three"');
});

it('node:test removes the sections of tests that did not run, by request alone', async () => {
  const tests = (...names: string[]) =>
    `import { useShell } from 'agent-bash/testing/node';
     import { test } from 'node:test';
     import { run } from 'agent-bash';
     useShell();
     ${names.map((name) => `test('${name}', () => run('echo ${name}'));`).join('\n')}`;
  const directory = project({ 'a.test.js': tests('one', 'two') });
  const test = (env = {}) => node(directory, ['--test', 'a.test.js'], env);
  await test();
  writeFileSync(join(directory, 'a.test.js'), tests('one'));
  await test({ AGENT_BASH_CASSETTES: 'record' });
  expect(sectionsIn(directory)).toEqual(['one', 'two']);
  await test({ AGENT_BASH_CASSETTES: 'renew' });
  expect(sectionsIn(directory)).toEqual(['one']);
  expect(existsSync(cassetteIn(directory))).toBe(true);
});

it('node:test refuses concurrent tests with one shell', async () => {
  const text = `
    import { useShell } from 'agent-bash/testing/node';
    import { describe, it } from 'node:test';
    import { run } from 'agent-bash';
    describe('all', { concurrency: true }, () => {
      useShell();
      for (const name of ['a', 'b']) it(name, () => run('echo ' + name + '; sleep 0.2'));
    });`;
  const directory = project({ 'a.test.js': text });
  const { code, text: printed } = await node(directory, ['--test', 'a.test.js']);
  expect(code).toBe(1);
  expect(printed).toContain('use withShell() in concurrent tests');
});
