import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { createTools, dialects, type PendingCall, type Toolset } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Target } from '../../index.js';
import { living, programs, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { argumentsOf } from '../tools/arguments.js';
import { shellTarget } from './shell-target.js';

/** The private directories that shells there have. */
const directories = () => readdirSync('/tmp').filter((name) => name.startsWith('agent-bash.'));

function toolsThere(dialect: string, options: object = {}): { tools: Toolset; home: string; target: Target } {
  const { home, options: transport } = shellTarget();
  const target = new Target(transport);
  const tools = createTools(dialect as never, { target, ...options } as never) as Toolset;
  onTestFinished(async () => {
    await tools.dispose();
    await target.dispose();
  });
  return { tools, home, target };
}

describe.skipIf(process.platform !== 'linux')('a toolset on a target', () => {
  it('keeps the shell of anthropic-bash from call to call', async () => {
    const { tools } = toolsThere('anthropic-bash');
    await tools.call('bash', { command: 'cd /usr; a=1; f() { echo "f $a"; }' });
    expect((await tools.call('bash', { command: 'f; pwd' })).text).toContain('f 1\n/usr');
    await tools.call('bash', { restart: true });
    expect((await tools.call('bash', { command: 'echo "${a-none}"; pwd' })).text).toMatch(/^none\n(?!\/usr)/);
  });

  it('gives the state of a shell that a command has ended to the next one', async () => {
    const { tools } = toolsThere('oh-my-pi');
    await tools.call('bash', { command: 'cd /usr; a=1' });
    await tools.call('bash', { command: 'exit 4' });
    expect((await tools.call('bash', { command: 'echo "$a"; pwd' })).text).toContain('1\n/usr');
  });

  it('keeps the directory of claude-code, and nothing else', async () => {
    const { tools, home } = toolsThere('claude-code');
    await tools.call('Bash', { command: 'cd /usr/bin; a=1; export AGENT=1' });
    const { text } = await tools.call('Bash', {
      command: 'pwd; echo "${a-none} ${AGENT-none} ${BASH_ENV-none} ${AGENT_BASH_CWD_FILE-none}"',
    });
    expect(text).toBe('/usr/bin\nnone none none none');
    await tools.call('Bash', { command: `cd '${home}'; exit 3` });
    expect((await tools.call('Bash', { command: 'pwd' })).text).toBe(home);
  });

  it('keeps the directory within the root there, which may be a link', async () => {
    const { tools, home } = (() => {
      const { home, options } = shellTarget();
      mkdirSync(`${home}/real/sub`, { recursive: true });
      symlinkSync(`${home}/real`, `${home}/link`);
      const tools = createTools('claude-code', { target: options, root: `${home}/link` });
      onTestFinished(() => tools.dispose());
      return { tools, home };
    })();
    await tools.call('Bash', { command: 'cd sub' });
    expect((await tools.call('Bash', { command: 'pwd' })).text).toBe(`${home}/real/sub`);
    const { text } = await tools.call('Bash', { command: 'cd /usr' });
    expect(text).toContain('cwd was reset');
    expect((await tools.call('Bash', { command: 'pwd' })).text).toBe(`${home}/real/sub`);
  });

  it('keeps a directory that lies in an added one, through a link', async () => {
    const { home, options } = shellTarget();
    mkdirSync(`${home}/real/sub`, { recursive: true });
    symlinkSync(`${home}/real`, `${home}/link`);
    const directories = { additionalDirectories: [`${home}/link`] };
    await using tools = createTools('claude-code', { target: options, root: '/usr', ...directories });
    await tools.call('Bash', { command: `cd ${home}/link/sub` });
    expect((await tools.call('Bash', { command: 'pwd' })).text).toBe(`${home}/real/sub`);
  });

  it('keeps a directory below the one where the shell there starts', async () => {
    const { tools } = toolsThere('claude-code', { additionalDirectories: ['/usr'] });
    await tools.call('Bash', { command: 'cd docs' });
    expect((await tools.call('Bash', { command: 'pwd' })).text).toBe(`${process.cwd()}/docs`);
  });

  it('leaves a directory that was removed there, and says where the next command starts', async () => {
    const { tools, home } = toolsThere('claude-code', { cwd: '/usr' });
    await tools.call('Bash', { command: `mkdir '${home}/gone'; cd '${home}/gone'` });
    await tools.call('Bash', { command: `rmdir '${home}/gone'` });
    const { text, isError } = await tools.call('Bash', { command: 'echo ran' });
    expect(isError).toBe(true);
    expect(text).toContain('the next command starts in /usr');
    expect((await tools.call('Bash', { command: 'pwd' })).text).toBe('/usr');
  });

  it('tells approve() the directory there', async () => {
    const seen: (string | null)[] = [];
    const approve = ({ cwd }: PendingCall) => {
      seen.push(cwd);
      return 'allow' as const;
    };
    for (const [options, start] of [
      [{ root: '/usr' }, '/usr'],
      [{ root: '/usr', cwd: 'lib' }, '/usr/lib'],
      [{}, null],
    ] as const) {
      const { tools } = toolsThere('claude-code', { approve, ...options });
      await tools.call('Bash', { command: 'cd /usr/bin' });
      await tools.call('Bash', { command: 'true' });
      expect(seen.splice(0)).toEqual([start, '/usr/bin']);
    }
  });

  it('takes a relative directory of a model, once it is known where commands start', async () => {
    const { tools } = toolsThere('oh-my-pi');
    const start = (await tools.call('bash', { command: 'cd /usr && cd - >/dev/null; pwd' })).text;
    await tools.call('bash', { command: 'cd /usr' });
    const { text } = await tools.call('bash', { command: 'pwd', cwd: '..' });
    expect(text).toContain(dirname(start.split('\n')[0] ?? ''));
  });

  it('works on after the connection was lost', async () => {
    const { tools, home } = toolsThere('claude-code');
    await tools.call('Bash', { command: 'cd /usr' });
    for (const pid of programs(`${home}/.cache`)) process.kill(pid, 'SIGKILL');
    await until(async () => {
      await tools.call('Bash', { command: 'cd /usr/bin' });
      return (await tools.call('Bash', { command: 'pwd' })).text === '/usr/bin';
    }, 'the directory is kept again');
  });

  it.each(dialects)('gives the output of before its connection was lost: %s', async (dialect) => {
    const { tools, home } = toolsThere(dialect);
    const seconds = tag();
    const command = `printf 'first\\nmark-%s\\n' 42; sleep ${seconds}`;
    let seen = '';
    const onUpdate = (update: unknown) => {
      seen += JSON.stringify(update);
    };
    const answer = tools.tools[0]?.execute(argumentsOf(dialect, command), { onUpdate });
    await until(() => seen.includes('mark-42') && living(seconds).length > 0, 'the output has come');
    for (const pid of programs(`${home}/.cache`)) process.kill(pid, 'SIGKILL');
    const text = (await answer)?.text ?? '';
    expect(text.match(/mark-42/g)).toHaveLength(1);
    expect(text).toMatch(/lost|ended/);
    // The words of bash() are a contract.
    if (dialect !== 'voice') expect(text).not.toContain('Failed to launch');
  });

  it('leaves no file there', async () => {
    const before = directories();
    const { tools, target } = toolsThere('claude-code');
    await tools.call('Bash', { command: 'cd /usr' });
    const made = directories().filter((name) => !before.includes(name));
    expect(made).not.toEqual([]);
    await tools.dispose();
    await target.dispose();
    await until(() => !directories().some((name) => made.includes(name)), 'the new directories are gone');
  });
});
