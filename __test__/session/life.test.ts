import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ShellSession } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { isAlive, until } from '../support/processes.mjs';
import { SHELLS, session } from './support.js';

const directory = temporaryDirectory();

describe.each(SHELLS)('a shell of a session of %s that ends', (shell) => {
  it.each([
    ['exit 3', { status: 'exited', exitCode: 3, signal: null }],
    ['kill -9 $$; echo after', { status: 'signaled', exitCode: null, signal: 'SIGKILL' }],
    ['exec sh -c "exit 4"', { status: 'exited', exitCode: 4, signal: null }],
    ['set -e; false', { status: 'exited', exitCode: 1, signal: null }],
  ])('gives an honest result for %s, and makes way for a new one', async (command, end) => {
    const shellSession = session({ shell, cwd: directory });
    await shellSession.run('STATE=lost; cd /');
    expect(await shellSession.run(command)).toMatchObject({ ...end, shellEnded: true, restarted: false });
    expect(shellSession.pid).toBeNull();
    const next = await shellSession.run('echo "[$STATE]"; pwd');
    expect(next).toMatchObject({ stdout: `[]\n${directory}\n`, restarted: true, shellEnded: false });
  });

  it('has the output of its trap on EXIT', async () => {
    const { stdout } = await session({ shell }).run("trap 'echo bye' EXIT; exit 0");
    expect(stdout).toBe('bye\n');
  });

  it('while nothing runs makes way for a new one', async () => {
    const shellSession = session({ shell });
    await shellSession.run('true');
    process.kill(shellSession.pid ?? 0, 'SIGKILL');
    await until(() => shellSession.pid === null, 'the end is seen');
    expect(await shellSession.run('echo new')).toMatchObject({ stdout: 'new\n', restarted: true });
  });

  it('is replaced when a command has disabled its reports', async () => {
    const shellSession = session({ shell });
    const disableReports =
      shell.endsWith('bash') || shell.endsWith('zsh') ? 'builtin() { :; }' : '__agent_bash_report() { :; }';
    const lost = await shellSession.run(disableReports, { timeout: 20_000 });
    expect(lost).toMatchObject({ status: 'failed', error: { code: 'SESSION_LOST' }, shellEnded: true });
    expect(await shellSession.run('echo new')).toMatchObject({ stdout: 'new\n', restarted: true });
  });
});

describe('a session', () => {
  it('starts nothing before its first command, and says what it does', async () => {
    const shellSession = session();
    expect(shellSession).toMatchObject({ state: 'idle', pid: null, cwd: null, pending: 0 });
    const first = shellSession.run('sleep 0.1');
    expect(shellSession).toMatchObject({ state: 'starting', pending: 1 });
    const second = shellSession.run('true');
    await until(() => shellSession.state === 'busy' && shellSession.pending === 1, 'the first runs');
    await Promise.all([first, second]);
    expect(shellSession).toMatchObject({ state: 'idle', pending: 0 });
    await shellSession.close();
    expect(shellSession.state).toBe('closed');
  });

  it('runs commands in the order of the calls', async () => {
    const shellSession = session();
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) => shellSession.run(`echo $((N++)) ${index}`)),
    );
    expect(results.map(({ stdout }) => stdout)).toEqual(results.map((_, index) => `${index} ${index}\n`));
  });

  it('refuses commands that would wait behind too many, and those after its end', async () => {
    const shellSession = session({ maxQueue: 1 });
    const taken = [shellSession.run('sleep 0.2'), shellSession.run('true')];
    await expect(shellSession.run('true')).rejects.toMatchObject({ code: 'SESSION_QUEUE' });
    expect(() => shellSession.start('true')).toThrow(expect.objectContaining({ code: 'SESSION_QUEUE' }));
    await Promise.all(taken);
    await shellSession.close();
    await expect(shellSession.run('true')).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
    await expect(shellSession.restart()).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  });

  it('drops its state and keeps its queue in restart()', async () => {
    const shellSession = session({ cwd: directory });
    await shellSession.run('STATE=old');
    const running = shellSession.run('sleep 100');
    const waiting = shellSession.run('echo "[$STATE]"; pwd');
    await until(() => shellSession.pending === 1, 'the first runs');
    await shellSession.restart({ cwd: '/tmp' });
    expect(await running).toMatchObject({ status: 'aborted' });
    expect(await waiting).toMatchObject({ stdout: '[]\n/tmp\n', restarted: false });
  });

  it('settles everything at its end, and ends what its commands have left', async () => {
    const shellSession = session({ shell: '/bin/sh' });
    const { backgroundPids } = await shellSession.run('sleep 100 >/dev/null 2>&1 &');
    await shellSession.run("trap 'echo bye; echo error >&2' EXIT");
    const running = shellSession.run('sleep 100');
    const waiting = shellSession.run('true');
    await until(() => shellSession.pending === 1, 'the first runs');
    const ended = shellSession.close();
    expect(await running).toMatchObject({ status: 'aborted' });
    expect(await waiting).toMatchObject({ status: 'aborted', error: { code: 'SESSION_CLOSED' } });
    expect(await ended).toMatchObject({ stdout: 'bye\n', stderr: 'error\n' });
    expect(await shellSession.close()).toEqual(await ended);
    expect(backgroundPids.filter(isAlive)).toEqual([]);
  });

  it('ends what a shell has left that ended before', async () => {
    const shellSession = session();
    const { backgroundPids } = await shellSession.run('sleep 100 >/dev/null 2>&1 & exit 0');
    expect(backgroundPids.map(isAlive)).toEqual([true]);
    await shellSession.close();
    expect(backgroundPids.map(isAlive)).toEqual([false]);
  });

  it('leaves background processes with keep', async () => {
    const shellSession = session({ background: 'keep' });
    const { backgroundPids } = await shellSession.run('sleep 100 >/dev/null 2>&1 &');
    await shellSession.close();
    expect(backgroundPids.map(isAlive)).toEqual([true]);
    for (const pid of backgroundPids) process.kill(pid, 'SIGKILL');
  });

  it('works on after its files were removed between commands and within one', async () => {
    const shellSession = session({ shell: '/bin/bash' });
    await shellSession.run('STATE=kept');
    const files = (await shellSession.run('echo $' + '{BASH_SOURCE%/*}')).stdout.trim();
    expect(files).toMatch(/agent-bash/);
    rmSync(files, { recursive: true });
    expect(await shellSession.run('echo $STATE')).toMatchObject({ stdout: 'kept\n', exitCode: 0 });
    expect(await shellSession.run(`rm -rf ${files}; echo removed`)).toMatchObject({ stdout: 'removed\n' });
    expect(await shellSession.run('echo $STATE')).toMatchObject({ stdout: 'kept\n', exitCode: 0 });
    expect(await shellSession.run(`rm ${files}/*`)).toMatchObject({ status: 'exited' });
    expect(await shellSession.run('echo $STATE')).toMatchObject({ stdout: 'kept\n', exitCode: 0 });
  });

  it('says why there is no shell', async () => {
    const nowhere = session({ cwd: `${directory}/nowhere` });
    expect(await nowhere.run('true')).toMatchObject({ status: 'failed', error: { code: 'CWD_MISSING' } });
    const noShell = session({ shell: '/nowhere/bash' });
    expect(await noShell.run('true')).toMatchObject({ status: 'failed', error: { code: 'ENOENT' } });
    const home = temporaryDirectory();
    writeFileSync(join(home, '.bashrc'), 'sleep 60\n');
    const slow = session({
      shell: '/bin/bash',
      startFiles: 'interactive',
      env: { HOME: home },
      startTimeout: 100,
    });
    expect(await slow.run('true')).toMatchObject({ status: 'failed', error: { code: 'SESSION_START' } });
  });

  it.each([
    [{ shell: '/usr/bin/fish' }, /options.shell/],
    [{ keep: 'nothing' }, /options.keep/],
    [{ startFiles: true }, /options.startFiles/],
    [{ maxQueue: -1 }, /options.maxQueue/],
    [{ timeout: 5 }, /options.timeout/],
  ])('refuses %o', (options, message) => {
    // @ts-expect-error That is the point.
    expect(() => new ShellSession(options)).toThrow(message);
  });

  it.each(['', '  \n', 'a\0b', 'x'.repeat(16 * 1024 * 1024 + 1)])(
    'refuses a wrong command',
    async (command) => {
      await expect(session().run(command)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
    },
  );
});
