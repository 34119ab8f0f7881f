import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createTool, createTools, dialects, type PendingCall } from 'agent-bash/tools';
import { afterEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { argumentsOf } from './arguments.js';

const START = process.cwd();

afterEach(() => process.chdir(START));

/** Returns a directory and one in it. */
function nested(): { above: string; directory: string } {
  const above = realpathSync(temporaryDirectory());
  const directory = join(above, 'wt');
  mkdirSync(directory);
  return { above, directory };
}

const note = (gone: string, place: string) =>
  `the working directory ${gone} no longer exists: the command ran in ${place}`;

describe.each([...dialects])('a removed directory in %s', (dialect) => {
  it('is that of the options: a command runs in the nearest one above, and says so', async () => {
    const { above, directory } = nested();
    await using tool = createTool(dialect, { cwd: directory });
    rmSync(directory, { recursive: true });
    const { text, isError } = await tool.execute(argumentsOf(dialect, 'pwd -P'));
    expect(text).toMatch(new RegExp(`${above}(\\n|\\\\n|$)`, 'm'));
    expect(text).toContain(note(directory, above));
    expect(isError).toBe(false);
  });

  it('is that of the host: a command may go elsewhere', async () => {
    const { directory } = nested();
    process.chdir(directory);
    await using tool = createTool(dialect);
    rmSync(directory, { recursive: true });
    const { text, isError } = await tool.execute(argumentsOf(dialect, 'cd /usr && pwd'));
    expect([text, isError]).toEqual([expect.stringMatching(/\/usr(\n|\\n|$)/), false]);
  });

  it('is that of the host before the tools are made', async () => {
    const { above, directory } = nested();
    process.chdir(directory);
    rmSync(directory, { recursive: true });
    await using tool = createTool(dialect);
    const { text } = await tool.execute(argumentsOf(dialect, 'echo hi'));
    expect(text).toContain('hi');
    expect(text).toContain(note(directory, above));
  });

  it('is the root: no command leaves it', async () => {
    const { directory } = nested();
    await using tool = createTool(dialect, { root: directory });
    rmSync(directory, { recursive: true });
    const { text } = await tool.execute(argumentsOf(dialect, 'echo h""i'));
    expect(text).not.toMatch(/hi$/m);
  });

  it('lies in the root: a command runs within the root', async () => {
    const { above, directory } = nested();
    const deep = join(directory, 'deep');
    mkdirSync(deep);
    await using tool = createTool(dialect, { root: above, cwd: deep });
    rmSync(directory, { recursive: true });
    const { text } = await tool.execute(argumentsOf(dialect, 'echo hi'));
    expect(text).toContain(note(deep, above));
  });

  it('has never been there: it stays an error', async () => {
    await using tool = createTool(dialect, { cwd: join(temporaryDirectory(), 'none') });
    const { text } = await tool.execute(argumentsOf(dialect, 'echo h""i'));
    expect(text).not.toMatch(/hi$/m);
  });
});

describe.each(['cwd', 'carry'] as const)(
  'a directory that the last command of a session has removed: %s',
  (session) => {
    it('is replaced by the nearest one above, and commands go on', async () => {
      const { above } = nested();
      await using toolset = createTools('bash', { root: above, cwd: above, session });
      const call = async (command: string) => (await toolset.call('bash', { command })).text;
      await call('cd wt; rm -rf ../wt');
      expect(await call('pwd -P')).toBe(`${above}\n[${note(join(above, 'wt'), above)}]\n[exit code: 0]`);
      expect(await call(`cd ${above} && pwd -P`)).toBe(`${above}\n[exit code: 0]`);
    });
  },
);

describe('a removed directory of claude-code', () => {
  it('leaves later commands their directory', async () => {
    const { above } = nested();
    await using toolset = createTools('claude-code', { cwd: above });
    const call = async (command: string) => (await toolset.call('Bash', { command })).text;
    await call('cd wt; rm -rf ../wt');
    expect(await call(`cd ${above} && echo hi`)).toBe(`hi\n[${note(join(above, 'wt'), above)}]`);
    expect(await call('pwd -P')).toBe(above);
  });

  it('is judged as the one in which the command runs', async () => {
    const { above } = nested();
    const directories: unknown[] = [];
    const approve = ({ cwd }: PendingCall) => {
      directories.push(cwd);
      return 'allow' as const;
    };
    await using toolset = createTools('claude-code', { cwd: above, approve });
    await toolset.call('Bash', { command: 'cd wt; rm -rf ../wt' });
    await toolset.call('Bash', { command: 'echo hi' });
    expect(directories).toEqual([above, above]);
  });
});
