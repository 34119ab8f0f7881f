import { describe, expect, it } from 'vitest';
import { SHELLS, session } from './support.js';

describe.each(SHELLS)('a session of %s that keeps its state alone', (shell) => {
  const keep = 'state';
  const hasFunctions = !/\/(da)?sh$/.test(shell);

  it('restores directory, variables, exports, aliases, options and umask', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run(
      "cd /tmp; A='a  b\nc'\\''d'; export B=1; alias g='echo aliased'; umask 027; set -o noglob; unset HOME",
    );
    const { stdout, cwd } = await shellSession.run(
      'echo "$A" $B "[$HOME]"; g; umask; echo *; sh -c "echo \\$B"',
    );
    expect(stdout).toMatch(/^a {2}b\nc'd 1 \[\]\naliased\n0*27\n\*\n1\n$/);
    expect(cwd).toBe('/tmp');
  });

  it.skipIf(!hasFunctions)('restores functions and arrays', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run('f() { echo "f $1"; }; X=(1 "2 3")');
    expect(await shellSession.run('f 1; echo "$' + '{X[@]}"')).toMatchObject({ stdout: 'f 1\n1 2 3\n' });
  });

  it.each([
    ['exit', 'A=new; exit 3', { status: 'exited', exitCode: 3 }],
    ['a kill', 'A=new; kill -9 $$', { status: 'signaled', signal: 'SIGKILL' }],
    ['an open quote', 'A=new\necho "open', { status: 'exited' }],
    ['a syntax error', 'A=new\n)', { status: 'exited' }],
    ['a timeout', 'A=new; sleep 100', { status: 'timeout' }],
  ])('is not hurt by %s', async (_, command, end) => {
    const shellSession = session({ shell, keep });
    await shellSession.run('A=old');
    expect(await shellSession.run(command, { timeout: 1_000 })).toMatchObject({ ...end, shellEnded: true });
    expect(await shellSession.run('echo $A')).toMatchObject({ stdout: 'old\n', shellEnded: false });
  });

  it('takes the state of a command that fails by itself', async () => {
    const shellSession = session({ shell, keep });
    expect(await shellSession.run('A=new; false')).toMatchObject({ exitCode: 1, shellEnded: false });
    expect(await shellSession.run('echo $A')).toMatchObject({ stdout: 'new\n' });
  });

  it('runs calls at the same time', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run('A=1');
    const both = await Promise.all([
      shellSession.run('sleep 0.5; echo $A'),
      shellSession.run('sleep 0.5; echo $A'),
    ]);
    expect(both.map(({ stdout }) => stdout)).toEqual(['1\n', '1\n']);
    expect(shellSession.state).toBe('idle');
  });

  it('begins anew after restart()', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run('A=1');
    await shellSession.restart({ cwd: '/tmp' });
    expect(await shellSession.run('echo "[$A]"; pwd')).toMatchObject({ stdout: '[]\n/tmp\n' });
  });

  it('has jobs', async () => {
    const job = session({ shell, keep }).start('read line; echo "got $line"', { stdin: 'pipe' });
    job.end('text\n');
    expect(await job.result).toMatchObject({ stdout: 'got text\n', shellEnded: false });
  });

  it('ends what runs at its end', async () => {
    const shellSession = session({ shell, keep });
    const running = shellSession.run('sleep 100');
    await shellSession.close();
    expect(await running).toMatchObject({ status: 'aborted' });
  });
});
