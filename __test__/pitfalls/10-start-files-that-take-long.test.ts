import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bash, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const home = join(temporaryDirectory(), 'home');
mkdirSync(home);
const read = join(home, 'was-read');
for (const name of ['.zshrc', '.zprofile', '.zlogin', '.bashrc']) {
  writeFileSync(join(home, name), `touch ${read}; sleep 60\n`);
}
const env = { HOME: home, ZDOTDIR: home, BASH_ENV: undefined, ENV: undefined };

describe("a user's start files for interactive shells", () => {
  it.each([
    ['the shell of choice', undefined],
    ['bash', '/bin/bash'],
    ['zsh', '/bin/zsh'],
    ['sh', '/bin/sh'],
  ])('are not read by %s', async (_, shell) => {
    if (shell !== undefined && !existsSync(shell)) return;
    const { status, stdout } = await run('echo hi', { env, shell, timeout: 20_000 });
    expect({ status, stdout, isRead: existsSync(read) }).toEqual({
      status: 'exited',
      stdout: 'hi\n',
      isRead: false,
    });
  });

  it('are not read for a program without a shell', async () => {
    expect((await run(['echo', 'hi'], { env })).stdout).toBe('hi\n');
    expect(existsSync(read)).toBe(false);
  });

  it('are read where the caller asks for it', async () => {
    writeFileSync(join(home, '.bashrc'), `touch ${read}-too\n`);
    await run('true', { env, shell: ['/bin/bash', '-ic'], timeout: 20_000 });
    expect(existsSync(`${read}-too`)).toBe(true);
  });

  it('do not slow bash() down', async () => {
    expect(await bash({ command: 'echo hi' }, '/')).toBe('hi\n\n[Exit code: 0]');
  });
});
