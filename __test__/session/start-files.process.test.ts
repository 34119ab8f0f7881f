import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionOptions } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { within } from '../support/slowness.mjs';
import { SHELLS, session } from './support.js';

/** Options of a session whose shell reads a start file with this text. */
function withStartFile(shell: string, text: string): SessionOptions {
  const home = temporaryDirectory();
  const isBash = shell.endsWith('bash');
  const isZsh = shell.endsWith('zsh');
  const name = isBash ? '.bashrc' : isZsh ? '.zshrc' : '.shinit';
  writeFileSync(join(home, name), text);
  const env = { HOME: home, ZDOTDIR: home, ...(isBash || isZsh ? {} : { ENV: '$HOME/.shinit' }) };
  return { shell, startFiles: 'interactive', env, startTimeout: 20_000 };
}

describe.each(SHELLS)('a session of %s with start files', (shell) => {
  it('has the exit code and the output of a start file that ends the shell', async () => {
    const text = 'echo welcome; echo "no such module" >&2; exit 3\n';
    const failed = await session(withStartFile(shell, text)).run('echo ran');
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'SESSION_START', message: expect.stringContaining('exit code 3') },
      exitCode: 3,
      stdout: 'welcome\n',
      stderr: 'no such module\n',
    });
  });

  it('has the signal that ends the shell while it reads a start file', async () => {
    const failed = await session(withStartFile(shell, 'echo before; kill -KILL $$\n')).run('echo ran');
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'SESSION_START' },
      signal: 'SIGKILL',
      stdout: 'before\n',
    });
  });

  it('has the output of a start file that does not end in time', async () => {
    const options = { ...withStartFile(shell, 'echo waiting; sleep 60\n'), startTimeout: within(1_000) };
    const failed = await session(options).run('echo ran');
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'SESSION_START' }, stdout: 'waiting\n' });
  });

  it('has a start file of macOS leave the session of its Terminal alone, and keeps that from commands', async () => {
    const text = 'READ="[$SHELL_SESSIONS_DISABLE]"; export OTHER=kept\n';
    const shellSession = session(withStartFile(shell, text));
    const command = 'echo "$READ $OTHER [${SHELL_SESSIONS_DISABLE-}]"; printenv SHELL_SESSIONS_DISABLE OTHER';
    expect(await shellSession.run(command)).toMatchObject({ stdout: '[1] kept []\nkept\n' });
  });

  it('gives a start file an empty standard input', async () => {
    const shellSession = session(withStartFile(shell, 'read line; READ="[$line]"; cat\n'));
    expect(await shellSession.run('echo "$READ"')).toMatchObject({ stdout: '[]\n', exitCode: 0 });
  });

  it.each([
    ['read-only prompts', 'readonly PS1=x PS2=y'],
    [
      'aliases of builtins',
      'alias command=false builtin=false trap=false printf=false return=false unset=false',
    ],
    ['an error', 'echo $((1/0))'],
    ['an unfinished command', 'echo "open'],
    ['errexit and nounset', 'set -u'],
    ['tracing', 'set -x'],
  ])('starts and ends a command in time after a start file with %s', async (_, text) => {
    const shellSession = session(withStartFile(shell, `MARK=read\n${text}\n`));
    expect(await shellSession.run('echo "$MARK"', { timeout: 20_000 })).toMatchObject({ stdout: 'read\n' });
    expect(await shellSession.run('sleep 60; echo after', { timeout: 100 })).toMatchObject({
      status: 'timeout',
      stdout: '',
      shellEnded: false,
    });
    expect((await shellSession.run('echo "$MARK"')).stdout).toBe('read\n');
  });
});

describe('a session with start files', () => {
  it('reads those of a login bash, and only the first profile that exists', async () => {
    const home = temporaryDirectory();
    writeFileSync(
      join(home, '.bash_login'),
      'READ="$READ login"; shopt -q login_shell && READ="$READ shell"\n',
    );
    writeFileSync(join(home, '.profile'), 'READ="$READ profile"\n');
    writeFileSync(join(home, '.bashrc'), 'READ="$READ bashrc"\n');
    const shellSession = session({ shell: '/bin/bash', startFiles: 'login', env: { HOME: home } });
    expect((await shellSession.run('echo $READ')).stdout).toBe('login shell\n');
  });

  it('gives those of an interactive bash a prompt to recognize it by', async () => {
    const home = temporaryDirectory();
    writeFileSync(join(home, '.bashrc'), '[ -z "$PS1" ] && return\nREAD=all\n');
    const shellSession = session({ shell: '/bin/bash', startFiles: 'interactive', env: { HOME: home } });
    expect((await shellSession.run('echo $READ')).stdout).toBe('all\n');
  });
});
