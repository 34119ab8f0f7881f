import { describe, expect, it } from 'vitest';
import { bash, Jobs, run } from '../../index.js';

describe('a program that asks', () => {
  it('on its standard input reads its end', async () => {
    const command = 'printf "name? "; read -r name; echo "[$name] $?"';
    const { stdout } = await run(command, { timeout: 20_000, shell: '/bin/bash' });
    expect(stdout).toBe('name? [] 1\n');
  });

  it('reads the end in a job too', async () => {
    const table = new Jobs();
    const { status, stdout } = await table.start('cat; echo end', { timeout: 20_000 }).result;
    expect([status, stdout]).toEqual(['exited', 'end\n']);
    await table.dispose();
  });

  it('on the terminal behind it finds none', async () => {
    const command =
      'if (: </dev/tty) 2>/dev/null; then echo terminal; else echo none; fi; tty; test -t 0; echo $?';
    expect((await run(command, { timeout: 20_000 })).stdout).toBe('none\nnot a tty\n1\n');
    expect(await bash({ command: '(: </dev/tty) 2>/dev/null || echo none' }, '/')).toBe(
      'none\n\n[Exit code: 0]',
    );
  });

  it('for a password fails instead of waiting', async () => {
    const { status, exitCode, stdout } = await run(
      'git ls-remote https://user@127.0.0.1:9/none.git >/dev/null 2>&1; echo "git $?"',
      { timeout: 20_000, nonInteractive: true },
    );
    expect({ status, exitCode, stdout }).toEqual({ status: 'exited', exitCode: 0, stdout: 'git 128\n' });
  });
});
