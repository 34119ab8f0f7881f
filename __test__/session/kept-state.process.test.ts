import { realpathSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { living } from '../support/processes.mjs';
import { within } from '../support/slowness.mjs';
import { tag } from '../support/tag.js';
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

  it('tells programs the directory', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run('cd /usr');
    expect(await shellSession.run('printenv PWD')).toMatchObject({ stdout: '/usr\n' });
  });

  it('goes on in its first directory when that of the last command is gone', async () => {
    const directory = realpathSync(temporaryDirectory());
    const shellSession = session({ shell, keep, cwd: directory });
    await shellSession.run('mkdir gone; cd gone; rmdir ../gone');
    const { stdout } = await shellSession.run('pwd -P; A=1');
    const { stdout: name, cwd } = await shellSession.run('echo "$A"');
    expect([stdout, name]).toEqual([`${directory}\n`, '1\n']);
    expect(cwd).toBe(directory);
  });

  it.skipIf(!hasFunctions)('restores functions and arrays', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run('f() { echo "f $1"; }; X=(1 "2 3")');
    expect(await shellSession.run('f 1; echo "$' + '{X[@]}"')).toMatchObject({ stdout: 'f 1\n1 2 3\n' });
  });

  it.each([',/0', ''])('restores all else beside the separator of words %j', async (separator) => {
    const shellSession = session({ shell, keep });
    await shellSession.run(`A='a b'; export B=2; IFS='${separator}'`);
    expect(await shellSession.run('echo "$A$IFS"; sh -c "echo \\$B"')).toMatchObject({
      stdout: `a b${separator}\n2\n`,
    });
  });

  it('keeps a state whose PATH names no programs', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run("A=1; alias x='echo aliased'; PATH=/nonexistent");
    const command = 'echo "$A $PATH"\nx';
    expect(await shellSession.run(command)).toMatchObject({
      stdout: '1 /nonexistent\naliased\n',
      shellEnded: false,
    });
  });

  it('goes back to the directory before', async () => {
    const shellSession = session({ shell, keep, cwd: '/usr' });
    await shellSession.run('cd /tmp');
    expect(await shellSession.run('cd - >/dev/null; pwd')).toMatchObject({ stdout: '/usr\n' });
    expect(await shellSession.run('cd - >/dev/null; pwd')).toMatchObject({ stdout: '/tmp\n' });
  });

  it.skipIf(!shell.endsWith('zsh')).each([
    ['setopt ksharrays', 'unsetopt ksharrays'],
    ['emulate sh', 'emulate zsh'],
    ['emulate ksh', 'emulate zsh'],
    ['setopt shglob', 'unsetopt shglob'],
    ['setopt noclobber', 'setopt clobber'],
  ])('keeps its state under the options of %j', async (change, back) => {
    const shellSession = session({ shell, keep });
    await shellSession.run('X=(1 "2 3"); f() { echo "$1"; }');
    expect(await shellSession.run(change)).toMatchObject({ shellEnded: false });
    expect(await shellSession.run('f "$' + '{X[@]:1}"; Y=4')).toMatchObject({ shellEnded: false });
    expect(await shellSession.run(back)).toMatchObject({ shellEnded: false });
    expect(await shellSession.run('f "$X[2] $Y"')).toMatchObject({ stdout: '2 3 4\n' });
  });

  it.skipIf(!shell.endsWith('bash'))(
    'keeps variables that are named like those of bash in another case',
    async () => {
      const shellSession = session({ shell, keep });
      await shellSession.run('shopt -s nocasematch; uid=7');
      expect(await shellSession.run('echo $uid; [[ a == A ]] && echo equal')).toMatchObject({
        stdout: '7\nequal\n',
      });
    },
  );

  it.skipIf(!shell.endsWith('bash'))('has no output of a DEBUG trap in its state', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run("A=1; set -T; trap 'echo echo trapped' DEBUG");
    expect(await shellSession.run('echo $A')).toMatchObject({ stdout: '1\n' });
  });

  it('forgets an alias that was removed', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run("alias x='echo x' y='echo y'");
    await shellSession.run("unalias -a; alias z='echo z'");
    expect((await shellSession.run('alias')).stdout).toMatch(/^(alias )?z='echo z'\n$/);
  });

  it.skipIf(!shell.endsWith('zsh'))('restores aliases of suffixes', async () => {
    const shellSession = session({ shell, keep });
    await shellSession.run('alias -s txt=echo');
    expect(await shellSession.run('read.txt')).toMatchObject({ stdout: 'read.txt\n' });
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
    expect(await shellSession.run(command, { timeout: within(1_000) })).toMatchObject({
      ...end,
      shellEnded: true,
    });
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

  it('ends background processes at its end', async () => {
    const seconds = tag();
    const shellSession = session({ shell, keep });
    const { backgroundPids, status } = await shellSession.run(
      `sleep ${seconds} >/dev/null 2>&1 & setsid -f sleep ${seconds} >/dev/null 2>&1; exit 3`,
    );
    expect(status).toBe('exited');
    expect(backgroundPids).toHaveLength(2);
    await shellSession.close();
    expect(living(`sleep\0${seconds}`)).toEqual([]);
  });

  it('leaves background processes at its end with the option for that', async () => {
    const seconds = tag();
    const shellSession = session({ shell, keep, background: 'keep' });
    await shellSession.run(`sleep ${seconds} >/dev/null 2>&1 &`);
    await shellSession.close();
    const left = living(`sleep\0${seconds}`);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    expect(left).toHaveLength(1);
  });

  it('ends a job whose background processes go on, and ends those with itself', async () => {
    const seconds = tag();
    const shellSession = session({ shell, keep });
    const job = shellSession.start(`sleep ${seconds} >/dev/null 2>&1 & echo text`);
    expect(await job.result).toMatchObject({ stdout: 'text\n', exitCode: 0, shellEnded: false });
    expect(job.kill()).toBe(false);
    expect(living(`sleep\0${seconds}`)).toHaveLength(1);
    await shellSession.close();
    expect(living(`sleep\0${seconds}`)).toEqual([]);
  });

  it('ends what runs at its end', async () => {
    const shellSession = session({ shell, keep });
    const running = shellSession.run('sleep 100');
    await shellSession.close();
    expect(await running).toMatchObject({ status: 'aborted' });
  });
});
