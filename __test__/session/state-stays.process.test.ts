import { mkdirSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { SHELLS, session } from './support.js';

const directory = temporaryDirectory();

describe.each(SHELLS)('a session of %s', (shell) => {
  it('keeps directory, variables, exports, functions, aliases, options, umask and positional parameters', async () => {
    const shellSession = session({ shell, cwd: directory });
    await shellSession.run('cd /tmp; A="a  b"; export B=1; f() { echo "f $1"; }; umask 027; set -o noglob');
    await shellSession.run("alias g='echo aliased'\nset -- x y");
    const { stdout, cwd } = await shellSession.run('echo "$A" $#; f 1; g; umask; echo *; sh -c "echo \\$B"');
    expect(stdout).toMatch(/^a {2}b 2\nf 1\naliased\n0*27\n\*\n1\n$/);
    expect(cwd).toBe('/tmp');
    expect(shellSession.cwd).toBe('/tmp');
  });

  it('keeps further descriptors, background jobs and $?', async () => {
    const shellSession = session({ shell, cwd: directory });
    await shellSession.run('exec 3>descriptor; sleep 0.2 & ');
    const pid = shellSession.pid;
    expect(await shellSession.run('echo text >&3; wait; cat descriptor')).toMatchObject({
      stdout: 'text\n',
      pid,
    });
    await shellSession.run('(exit 7)');
    expect(await shellSession.run('echo $?')).toMatchObject({ stdout: '7\n' });
  });

  it('names a directory that was removed as the shell does', async () => {
    const shellSession = session({ shell, cwd: directory });
    const { cwd } = await shellSession.run('mkdir removed; cd removed; rmdir ../removed; pwd');
    expect(cwd).toBe(`${directory}/removed`);
  });

  it.each([
    ['an open quote', 'echo "open'],
    ['an open substitution', 'echo $('],
    ['a word of the grammar out of place', 'fi'],
    ['an open heredoc', 'cat <<END\ntext'],
    ['a comment at the end', 'echo x # comment'],
    ['a backslash at the end', 'echo x \\'],
    ['an error of expansion', 'echo $((1/0)); echo unreachable'],
    ['a variable that must be set', ': $' + '{NOPE?}'],
    ['an unset variable with nounset', 'set -u; echo $NOPE'],
    ['a closed output', 'exec 1>&- 2>&-'],
    ['an output that is elsewhere', 'exec >/dev/null 2>&1'],
    ['a closed input', 'exec 0<&-; cat'],
    ['what reads all of its input', 'cat; cat /dev/stdin'],
    ['a trap', 'trap "echo trapped" USR1; kill -USR1 $$'],
    ['a signal that ends other shells', 'kill -TERM $$; kill -QUIT $$'],
    ['SIGINT to itself', 'kill -INT $$'],
    ['a directory that has gone', 'mkdir gone; cd gone; rmdir ../gone'],
    ['a name of the directory that is a lie', 'PWD=/nowhere'],
    ['no program to be found', 'PATH=/nowhere; ls'],
    ['a read-only variable that is set', 'readonly R=1; R=2'],
    [
      'functions with the names of what a report takes',
      'printf() { :; }; echo() { :; }; read() { :; }; unset -f echo',
    ],
    [
      'functions with the names of other builtins',
      'cd() { :; }; test() { return 1; }; trap() { :; }; kill() { :; }; unset() { :; }; true',
    ],
    ['aliases with the names of builtins', "alias printf='echo x' eval='echo x' test='echo x'"],
    ['an exit that is a function', 'exit() { echo "no exit"; }; exit 3; unset -f exit'],
    ['closed descriptors', 'exec 0<&- 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-'],
    [
      'functions with the names of special builtins',
      'exec() { echo "no exec"; }; command() { return 1; }; unset -f exec',
    ],
    ['an open group', '{ echo open'],
    ['an operator at the end', 'true &&'],
    ['an ignored SIGINT and SIGTERM', 'trap "" INT TERM'],
    ['a trap on EXIT', 'trap : EXIT'],
    ['no separator of words', "IFS=''"],
    ['no home', 'unset HOME PATH; PATH=/usr/bin:/bin'],
    ['more output than a pipe holds', 'head -c 300000 /dev/zero'],
    ['tracing', 'set -x; true'],
    ['verbosity', 'set -v'],
    ['noclobber', 'set -C'],
    ['another separator of words', 'IFS=,/0'],
    ['return', 'return 3'],
    ['break outside of a loop', 'break; continue'],
    ['a subshell that exits', '(exit 4)'],
    ['few descriptors', 'ulimit -n 40'],
    ['bytes that are no text', "printf '\\001\\377\\000\\n'"],
  ])('lives through %s', async (_, command) => {
    const shellSession = session({ shell, cwd: directory });
    await shellSession.run('MARK=kept');
    const { shellEnded, status } = await shellSession.run(command, { timeout: 20_000 });
    expect({ shellEnded, status }).toEqual({ shellEnded: false, status: 'exited' });
    const { stdout, exitCode } = await shellSession.run('echo "probe $MARK"', { timeout: 20_000 });
    expect({ stdout, exitCode }).toEqual({ stdout: 'probe kept\n', exitCode: 0 });
  });

  it('reports the real directory', async () => {
    mkdirSync(`${directory}/real`, { recursive: true });
    const shellSession = session({ shell, cwd: directory });
    expect(await shellSession.run('ln -sfn real link; cd link')).toMatchObject({ cwd: `${directory}/link` });
    expect(await shellSession.run('PWD=/etc')).toMatchObject({ cwd: `${directory}/real` });
    rmSync(`${directory}/link`);
  });
});
