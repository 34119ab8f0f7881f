import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { node, project, VITEST } from './project.js';

/** A module of an agent, which makes its tools while it is loaded. */
const AGENT = `
  import { createTools } from 'agent-bash/tools';
  const policy = { allow: ['Bash(echo *)'], ask: ['Bash(date *)'] };
  const tools = createTools('bash', { policy, approve: () => 'allow' });
  export const ask = async (command) => (await tools.call('bash', { command })).text;
`;

const OF_VITEST = (...commands: string[]) => `
  import { useShell } from 'agent-bash/testing/vitest';
  import { test } from 'vitest';
  import { ask } from './agent.js';
  useShell();
  ${commands.map((command) => `test('${command}', async () => console.log('ANSWER', await ask('${command}')));`).join('\n')}
`;

const OF_NODE = `
  import { useShell } from 'agent-bash/testing/node';
  import { test } from 'node:test';
  import { ask } from './agent.js';
  useShell();
  test('asks', async () => console.log('ANSWER', await ask('date +%s%N')));
`;

const WITHOUT_ADDON = { CI: '1', NAPI_RS_NATIVE_LIBRARY_PATH: '/no/addon.node' };
const answersIn = (text: string) => text.match(/ANSWER .*/g);
const storedIn = (directory: string) => join(directory, '__cassettes__/a.test.js.addon.jsonl');

/** Runs vitest, whose own addons load: only its tests have the variables. */
function vitest(directory: string, env: NodeJS.ProcessEnv = {}) {
  writeFileSync(join(directory, 'v.config.mjs'), `export default ${JSON.stringify({ test: { env } })}`);
  return node(directory, [VITEST, 'run', '--configLoader', 'runner', '--config', 'v.config.mjs']);
}

it('tools that a module makes while it is loaded are replayed by vitest without the addon', async () => {
  const directory = project({ 'agent.js': AGENT, 'a.test.js': OF_VITEST('date +%s%N', 'echo one') });
  const recorded = await vitest(directory);
  expect(answersIn(recorded.text)).toHaveLength(2);
  const replayed = await vitest(directory, WITHOUT_ADDON);
  expect(answersIn(replayed.text)).toEqual(answersIn(recorded.text));
  expect(replayed.code).toBe(0);
});

it('they are replayed by node:test without the addon', async () => {
  const directory = project({ 'agent.js': AGENT, 'a.test.js': OF_NODE });
  const test = (env = {}) => node(directory, ['--test', '--test-reporter=tap', 'a.test.js'], env);
  const recorded = await test();
  expect(answersIn(recorded.text)).toHaveLength(1);
  const replayed = await test(WITHOUT_ADDON);
  expect(answersIn(replayed.text)).toEqual(answersIn(recorded.text));
  expect(replayed.code).toBe(0);
});

it('without stored answers, the module names what it needs, and how to record it', async () => {
  const directory = project({ 'agent.js': AGENT, 'a.test.js': OF_VITEST('echo one') });
  const { code, text } = await vitest(directory, WITHOUT_ADDON);
  expect(code).toBe(1);
  expect(text).toContain('ADDON_NEEDED in "a.test.js": this machine has no addon');
  expect(text).toContain('AGENT_BASH_CASSETTES=record npx vitest run a.test.js');
  expect(existsSync(storedIn(directory))).toBe(false);
});

it('a run of all tests removes answers that none asks for, and a run in CI does not', async () => {
  const directory = project({ 'agent.js': AGENT, 'a.test.js': OF_VITEST('echo one', 'echo two') });
  const stored = () => readFileSync(storedIn(directory), 'utf8');
  await vitest(directory);
  writeFileSync(join(directory, 'a.test.js'), OF_VITEST('echo one'));
  const before = stored();
  await vitest(directory, { CI: '1' });
  expect(stored()).toBe(before);
  await vitest(directory);
  expect(stored()).not.toContain('echo two');
  expect(stored()).toContain('echo one');
});
