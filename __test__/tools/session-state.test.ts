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

describe.each(['live', 'carry'] as const)('a session (%s)', (session) => {
  it.each([
    ['echo "abc', /^bash: line 1: unexpected EOF while looking for matching `"'\nExit code: 2$/],
    ['if true; then', /^bash: line \d: syntax error: unexpected end of file\nExit code: 2$/],
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
