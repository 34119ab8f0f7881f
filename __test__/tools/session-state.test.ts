import { mkdirSync, realpathSync } from 'node:fs';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

const ENDS = ['exit 3', 'kill -9 $$', 'exec true'];

function callerOf(options: object = {}) {
  const toolset = createTools('anthropic-bash', options);
  const call = async (command: string) => (await toolset.call('bash', { command })).text;
  return { toolset, call, [Symbol.asyncDispose]: () => toolset.dispose() };
}

describe('the shell of anthropic-bash', () => {
  it.each(ENDS)('has the state before a command that ended it: %s', async (end) => {
    await using session = callerOf({ cwd: temporaryDirectory() });
    await session.call(
      'mkdir sub; cd sub; A=1; export B=2; f() { echo f; }; set -u; shopt -s nullglob; umask 027',
    );
    await session.call(`A=9; ${end}`);
    expect(await session.call('basename "$PWD"; echo $A; printenv B; f; echo $- *; umask')).toMatch(
      /^sub\n1\n2\nf\n\w*u\w*\n0027$/,
    );
  });

  it.each([
    ['an alias', "alias greet='echo hello'", 'greet', 'hello'],
    ['an array', 'list=(a "b c")', `echo "\${list[1]}"`, 'b c'],
    ['a line break in a variable', `text=$'a\\nb'`, 'echo "$text"', 'a\nb'],
    ['bytes that are not UTF-8', `text=$'\\xff'`, 'printf %s "$text" | od -An -tx1', ' ff'],
    ['errexit', 'set -e', '[[ $- == *e* ]] && echo e', 'e'],
  ])('keeps %s when it ends', async (_, set, show, expected) => {
    await using session = callerOf();
    await session.call(set);
    await session.call('exit 3');
    expect(await session.call(show)).toBe(expected);
  });

  it('keeps the state of the command before one that was called at the same time', async () => {
    await using session = callerOf();
    await Promise.all([session.call('A=1'), session.call('exit 3')]);
    expect(await session.call('echo $A')).toBe('1');
  });

  it('keeps its background jobs and its last status from call to call', async () => {
    await using session = callerOf();
    await session.call('sleep 60 & (exit 7)');
    expect(await session.call('echo $?; kill %1 && echo killed')).toBe('7\nkilled');
  });

  it('has the state before a command that replaced it and timed out', async () => {
    await using session = callerOf({ timeout: 500 });
    await session.call('A=1');
    const lost = ' The shell was restarted; its state is that before this command.';
    expect(await session.call('A=2; echo part; exec sleep 99')).toBe(
      `part\nError: Command timed out after 0.5 seconds${lost}`,
    );
    expect(await session.call('echo $A; sleep 99')).toBe('1\nError: Command timed out after 0.5 seconds');
  });

  it('has no state after a restart', async () => {
    await using session = callerOf();
    await session.call('A=1');
    await session.toolset.call('bash', { restart: true });
    await session.call('exit 3');
    expect(await session.call('echo "[$A]"')).toBe('[]');
  });
});

describe('the shell of oh-my-pi', () => {
  function ohMyPi(options: object = {}) {
    const toolset = createTools('oh-my-pi', options);
    const call = async (args: object) => (await toolset.call('bash', args)).data.output;
    return { call, [Symbol.asyncDispose]: () => toolset.dispose() };
  }

  it('stays from call to call, but for its directory', async () => {
    const cwd = realpathSync(temporaryDirectory());
    await using session = ohMyPi({ cwd });
    await session.call({ command: 'mkdir sub; A=1; f() { echo f; }; cd sub' });
    expect(await session.call({ command: 'echo $A; f; pwd' })).toBe(`1\nf\n${cwd}`);
    expect(await session.call({ command: 'cd sub && pwd; f' })).toBe(`${cwd}/sub\nf`);
    expect(await session.call({ command: 'pwd', cwd: 'sub' })).toBe(`${cwd}/sub`);
  });

  it('keeps its state when a command ends it', async () => {
    await using session = ohMyPi();
    await session.call({ command: 'A=1' });
    await session.call({ command: 'A=2; exit 3' });
    expect(await session.call({ command: 'echo $A' })).toBe('1');
  });

  it('leaves a command that overlaps to a shell of its own', async () => {
    await using session = ohMyPi();
    await session.call({ command: 'A=1' });
    const go = `${temporaryDirectory()}/go`;
    const first = session.call({ command: `until [ -e ${go} ]; do sleep 0.05; done; echo "[$A]"` });
    expect(await session.call({ command: `touch ${go}; echo "[$A]"` })).toBe('[]');
    expect(await first).toBe('[1]');
  });

  it('is not used where a command may go on as a job', async () => {
    await using session = ohMyPi({ autoBackground: true });
    await session.call({ command: 'A=1' });
    expect(await session.call({ command: 'echo "[$A]"' })).toBe('[]');
  });
});

describe('overlapping calls of a session', () => {
  it('get shells of their own, where the host wants that', async () => {
    await using session = callerOf({ overlap: 'fresh' });
    await session.call('A=1');
    const go = `${temporaryDirectory()}/go`;
    const first = session.call(`until [ -e ${go} ]; do sleep 0.05; done; echo "[$A]"`);
    expect(await session.call(`touch ${go}; echo "[$A]"`)).toBe('[]');
    expect(await first).toBe('[1]');
  });

  it('run in the directories that they ask for', async () => {
    const cwd = temporaryDirectory();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) mkdirSync(`${cwd}/${name}`);
    await using toolset = createTools('bash', { session: 'live', cwd });
    const calls = names.map((name) => toolset.call('bash', { command: 'basename "$PWD"', cwd: name }));
    expect((await Promise.all(calls)).map(({ data }) => data.output)).toEqual(
      names.map((name) => `${name}\n`),
    );
  });

  it.each(['live', 'carry'] as const)('do not leave the root by their directory: %s', async (session) => {
    const root = temporaryDirectory();
    await using toolset = createTools('bash', { session, root });
    const { text, isError } = await toolset.call('bash', { command: 'pwd', cwd: '/' });
    expect([text, isError]).toEqual(['Error: the working directory is outside of the root: /', true]);
    const missing = await toolset.call('bash', { command: 'pwd', cwd: 'none' });
    expect(missing.text).toBe(`Error: the working directory does not exist: ${root}/none`);
  });
});

describe.each(['live', 'carry'] as const)('a session (%s)', (session) => {
  it.each([
    ['echo "abc', /^bash: -c: line 1: unexpected EOF while looking for matching `"'\nExit code: 2$/],
    ['if true; then', /^bash: -c: line \d: syntax error: unexpected end of file\nExit code: 2$/],
    ['agent-bash-none', /^bash: (line 1: )?agent-bash-none: command not found\nExit code: 127$/],
    ['echo $BASH_SOURCE', /^bash$/],
  ])('names no file of its own in an error: %s', async (command, expected) => {
    await using caller = callerOf({ session });
    await caller.call('f() { agent-bash-none; }');
    expect(await caller.call(command)).toMatch(expected);
    expect(await caller.call('f')).toMatch(
      /^bash: (line \d+: )?agent-bash-none: command not found\nExit code: 127$/,
    );
  });
});

describe('a shell that ends with exit code 0', () => {
  it.each([
    ['bash', 'live', /the directory, variables, functions and jobs are lost/],
    ['bash', 'carry', /with the state before this one/],
    ['execute_bash_command', 'live', /the directory, variables, functions and jobs are lost/],
    ['claude-code', 'live', /the directory, variables, functions and jobs are lost/],
    ['codex-shell', 'live', /the directory, variables, functions and jobs are lost/],
    ['gemini', 'live', /the directory, variables, functions and jobs are lost/],
    ['openai-shell', 'carry', /with the state before this one/],
    ['anthropic-bash', 'live', /with the state before this one/],
    ['oh-my-pi', 'live', /with the state before this one/],
  ] as const)('is no plain success for the model of %s (%s)', async (dialect, session, lost) => {
    await using toolset = createTools(dialect, { session, root: temporaryDirectory() });
    const name = dialect === 'codex-shell' ? 'shell_command' : (toolset.tools[0]?.name ?? '');
    const call = (command: string) =>
      toolset.call(
        name,
        dialect === 'openai-shell' ? { commands: [command] } : { command, description: 'a test' },
      );
    expect((await call('A=1')).text).not.toContain('The shell of this session ended');
    const { text } = await call('echo out; exit 0');
    expect(text).toContain('The shell of this session ended with this command.');
    expect(text).toMatch(lost);
    const isKept = lost.source.includes('before');
    expect((await call('echo "[$A]"')).text).toContain(isKept ? '[1]' : '[]');
  });

  it('has the text of the original with compat', async () => {
    await using toolset = createTools('oh-my-pi', { compat: true });
    const { text } = await toolset.call('bash', { command: 'echo out; exit 0' });
    expect(text).toMatch(/^out\n\nWall time: [\d.]+ seconds$/);
  });
});
