import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionOptions } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { BASH_DOES } from '../support/bash.js';
import { temporaryDirectory } from '../support/directory.js';
import { SHELLS, session } from './support.js';

/** The lines that set the hook `hook` in each way of a shell, by the name of the way. */
const WAYS: [shell: string, way: string, lines: string][] = [
  ['bash', 'a text', "PROMPT_COMMAND='hook; :'"],
  ['bash', 'an exported text of several lines', "export PROMPT_COMMAND=$'hook\\n:'"],
  ...(BASH_DOES.runPromptArrays
    ? ([['bash', 'an array', "PROMPT_COMMAND=(: 'hook; :')"]] satisfies [string, string, string][])
    : []),
  ['zsh', 'precmd', 'precmd() { hook; }'],
  ['zsh', 'precmd_functions', 'precmd_functions+=(hook)'],
];

const CASES = SHELLS.flatMap((shell) =>
  WAYS.filter(([name]) => shell.endsWith(`/${name}`)).map(([, way, lines]) => ({ shell, way, lines })),
);

/** The variables that hold the hooks, as the shell declares them. */
const DECLARED = 'typeset -p PROMPT_COMMAND precmd_functions 2>/dev/null; typeset -f precmd; true';

describe.each(CASES)('a session of $shell whose hook is $way', ({ shell, lines }) => {
  /** A session of whose hook each run adds a line with `$?` to a file. */
  function hooked(options?: SessionOptions) {
    const file = join(temporaryDirectory(), 'log');
    const definition = `hook() { echo "$?" >>${file}; sleep 0.02; }\n${lines}`;
    const runs = (): string[] => {
      if (!existsSync(file)) return [];
      const text = readFileSync(file, 'utf8');
      rmSync(file);
      return text.trim().split('\n');
    };
    return { definition, runs, shellSession: session({ shell, ...options }) };
  }

  it('runs it once after each command, before the result', async () => {
    const { definition, runs, shellSession } = hooked();
    await shellSession.run(definition);
    expect(runs()).toEqual(['0']);
    for (const [command, status] of [
      ['echo a', 0],
      ['(exit 7)', 7],
      ['true', 0],
      ['sleep 0.1', 0],
    ] as const) {
      const { exitCode, backgroundPids } = await shellSession.run(command);
      expect({ exitCode, backgroundPids }).toEqual({ exitCode: status, backgroundPids: [] });
      expect(runs()).toEqual([String(status)]);
    }
  });

  it('runs it once after a command that is interrupted', async () => {
    const { definition, runs, shellSession } = hooked();
    await shellSession.run(definition);
    runs();
    expect(await shellSession.run('kill -INT $$')).toMatchObject({ shellEnded: false });
    expect(runs()).toHaveLength(1);
  });

  it.each(['sleep 60', 'while :; do :; done', 'read line'])(
    'runs it at most once after a stop of %s',
    async (command) => {
      const { definition, runs, shellSession } = hooked();
      await shellSession.run(definition);
      runs();
      const job = shellSession.start(command, { stdin: 'pipe', timeout: 200 });
      expect(await job.result).toMatchObject({ status: 'timeout', shellEnded: false });
      expect(runs().length).toBeLessThan(2);
      expect(await shellSession.run('echo ran')).toMatchObject({ stdout: 'ran\n' });
      expect(runs()).toHaveLength(1);
    },
  );

  it('ends a command at its timeout where it takes longer', async () => {
    const { definition, shellSession } = hooked();
    await shellSession.run(definition);
    const slow = await shellSession.run('hook() { sleep 60; }', { timeout: 200 });
    expect(slow).toMatchObject({ status: 'timeout', shellEnded: false });
  });

  it('shows it to commands as they have set it, and nothing of its own', async () => {
    const { definition, shellSession } = hooked();
    const { stdout } = await shellSession.run(`${definition}\n${DECLARED}`);
    expect((await shellSession.run(DECLARED)).stdout).toBe(stdout);
    expect((await shellSession.run('set; env')).stdout).not.toContain('__agent_bash');
  });

  it('runs no hook that a command has removed', async () => {
    const { definition, runs, shellSession } = hooked();
    await shellSession.run(definition);
    await shellSession.run('unset PROMPT_COMMAND precmd_functions; unset -f precmd; true');
    runs();
    await shellSession.run('true');
    expect(runs()).toEqual([]);
  });

  it('gives it the standard streams of the shell', async () => {
    const { definition, shellSession } = hooked();
    const file = join(temporaryDirectory(), 'streams');
    await shellSession.run(definition);
    await shellSession.run(`hook() { { true <&0 && true >&1 && true 3>&2; } && echo open >>${file}; }`);
    rmSync(file, { force: true });
    await shellSession.run('true');
    expect(readFileSync(file, 'utf8')).toBe('open\n');
  });

  it('runs it once before the first command where a start file sets it', async () => {
    const home = temporaryDirectory();
    const env = { HOME: home, ZDOTDIR: home };
    const { definition, runs, shellSession } = hooked({
      env,
      startFiles: 'interactive',
      startTimeout: 20_000,
    });
    writeFileSync(join(home, shell.endsWith('bash') ? '.bashrc' : '.zshrc'), definition);
    await shellSession.run('true');
    expect(runs()).toHaveLength(2);
    await shellSession.run('true');
    expect(runs()).toHaveLength(1);
  });
});

describe.each(CASES.filter(({ way }) => way !== 'precmd'))(
  'a read-only hook of $shell, $way',
  ({ shell, lines }) => {
    it('keeps no command from running', async () => {
      const shellSession = session({ shell });
      await shellSession.run(`hook() { :; }\n${lines}\nreadonly PROMPT_COMMAND precmd_functions`);
      expect(await shellSession.run('echo one')).toMatchObject({ stdout: 'one\n', stderr: '' });
      expect(await shellSession.run('echo two')).toMatchObject({ stdout: 'two\n', stderr: '' });
    });
  },
);
