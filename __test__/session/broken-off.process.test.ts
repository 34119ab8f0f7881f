import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BASH_DOES } from '../support/bash.js';
import { temporaryDirectory } from '../support/directory.js';
import { askNode, INDEX } from '../support/node.js';
import { within } from '../support/slowness.mjs';
import { SHELLS, session } from './support.js';

const directory = temporaryDirectory();
let count = 0;

/** Whether the shell can be stopped only together with this list. */
const endsWith = (shell: string, list: string) =>
  shell.endsWith('/bash') && BASH_DOES.endWith.some((beginning) => list.startsWith(beginning));

const LISTS = [
  'sleep 100; MARK',
  'sleep 100\nMARK',
  '(sleep 100); MARK',
  '(sleep 100; MARK); MARK',
  'sleep 100 | cat; MARK',
  'sleep 100 || MARK',
  '! sleep 100; MARK',
  'x=$(sleep 100); MARK',
  'f() { sleep 100; MARK; }; f; MARK',
  'for i in 1 2 3; do sleep 100; MARK; done; MARK',
  'while :; do :; done; MARK',
  'while :; do /bin/true; done; MARK',
  'until false; do sleep 0.001; done; MARK',
  'if sleep 100; then MARK; fi; MARK',
  'case $(sleep 100) in *) MARK;; esac; MARK',
  'eval "sleep 100"; MARK',
  'sleep 100 & wait; MARK',
  'sh -c "trap \\"exit 0\\" TERM; while :; do sleep 0.01; done"; MARK',
  'trap "" INT; sleep 100; MARK',
  'yes >/dev/null; MARK',
  'setsid -w sleep 100; MARK',
];

describe.each(SHELLS)('a list in a session of %s whose time is up', (shell) => {
  it.each(LISTS)('goes no further, and the shell keeps its state: %s', async (list) => {
    const shellSession = session({ shell, cwd: directory });
    const mayBeLost = endsWith(shell, list);
    for (const timeout of [0.5, 5, 60]) {
      const mark = `${directory}/mark-${count++}`;
      await shellSession.run(`STATE=${mark}`);
      const result = await shellSession.run(list.replaceAll('MARK', `touch ${mark}`), {
        timeout,
        forceKillAfterDelay: within(500),
      });
      expect(result).toMatchObject({ status: 'timeout', exitCode: null });
      // The shortest timeout may come before the list.
      if (!mayBeLost) expect(result.shellEnded).toBe(false);
      const kept = result.shellEnded ? '\n' : `${mark}\n`;
      expect(await shellSession.run('echo "$STATE"')).toMatchObject({ stdout: kept, stderr: '' });
      expect(existsSync(mark)).toBe(false);
    }
  });

  it.each(['IFS=0123456789', 'kill() { :; }', 'alias kill=true', 'enable -n kill 2>/dev/null'])(
    'goes no further in a shell with `%s`',
    async (preparation) => {
      const mark = `${directory}/mark-${count++}`;
      const shellSession = session({ shell });
      await shellSession.run(preparation);
      const result = await shellSession.run(`sleep 100; touch ${mark}`, { timeout: 60 });
      expect(result).toMatchObject({ status: 'timeout', exitCode: null, shellEnded: false });
      expect(existsSync(mark)).toBe(false);
    },
  );

  it('has the output so far', async () => {
    const { stdout, status } = await session({ shell }).run('echo begun; sleep 100', { idleTimeout: 200 });
    expect({ stdout, status }).toEqual({ stdout: 'begun\n', status: 'idleTimeout' });
  });

  it('leaves background processes of earlier commands alone', async () => {
    const shellSession = session({ shell });
    const { backgroundPids } = await shellSession.run('sleep 100 >/dev/null 2>&1 &');
    await shellSession.run('sleep 100; echo after', { timeout: 50 });
    expect(backgroundPids.map((pid) => process.kill(pid, 0))).toEqual([true]);
  });

  it.each([
    ['ignores', "''"],
    ['handles', ':'],
  ])('goes no further in a subshell that %s the signal only at first', async (_how, trap) => {
    const shellSession = session({ shell, cwd: directory });
    const list = `(trap ${trap} TERM; sleep 0.5; trap - TERM; sleep 100; echo unreachable)`;
    expect(await shellSession.run(list, { timeout: 200, killSignal: 'SIGTERM' })).toMatchObject({
      status: 'timeout',
      stdout: '',
      shellEnded: false,
    });
  });

  it('is ended with SIGKILL if a program ignores the signal before that', async () => {
    const command = 'sh -c "trap : TERM; while :; do sleep 0.01; done"; echo after';
    const result = await session({ shell }).run(command, { timeout: 50, forceKillAfterDelay: 100 });
    expect(result).toMatchObject({ status: 'timeout', stdout: '', shellEnded: false });
  });

  it('replaces a shell that ignores the signal that ends its list', async () => {
    const mark = `${directory}/mark-${count++}`;
    const list = `trap "" RTMIN+8 2>/dev/null; trap "" 42 QUIT; sleep 100; touch ${mark}`;
    const shellSession = session({ shell });
    expect(await shellSession.run(list, { timeout: 200 })).toMatchObject({ status: 'timeout' });
    expect(await shellSession.run('echo next')).toMatchObject({ stdout: 'next\n' });
    expect(existsSync(mark)).toBe(false);
  });

  it('replaces a shell that has become another program, and reports that', async () => {
    const shellSession = session({ shell });
    const result = await shellSession.run('exec sleep 100', { timeout: 100 });
    expect(result).toMatchObject({ status: 'timeout', shellEnded: true });
    expect(await shellSession.run('echo new')).toMatchObject({ stdout: 'new\n', restarted: true });
    expect(await shellSession.run('echo same')).toMatchObject({ restarted: false });
  });
});

const WAITS = [
  'read x < PIPE; MARK',
  'echo x > PIPE; MARK',
  '{ read x; } < PIPE; MARK',
  'for i in 1 2 3; do read x < PIPE; done; MARK',
  'trap "" INT; read x < PIPE; MARK',
  '. PIPE; MARK',
];

describe.each(SHELLS)('a list in a session of %s that waits at a named pipe without another end', (shell) => {
  const isZsh = shell.endsWith('zsh');

  it.each(WAITS)('goes no further, and only zsh loses its state: %s', async (list) => {
    const { shellSession, expanded, mark } = withPipe(shell, list);
    const isLost = isZsh || endsWith(shell, list);
    await shellSession.run('STATE=kept');
    expect(await shellSession.run(expanded, { timeout: 100 })).toMatchObject({
      status: 'timeout',
      shellEnded: isLost,
    });
    expect(await shellSession.run('echo "$STATE"')).toMatchObject({ stdout: isLost ? '\n' : 'kept\n' });
    expect(existsSync(mark)).toBe(false);
  });

  it.each(['cat < PIPE; MARK', 'x=$(cat PIPE); MARK', '(read x < PIPE); MARK', 'read x <> PIPE; MARK'])(
    'goes no further and keeps its state where a program or a subshell waits, or the pipe is open: %s',
    async (list) => {
      const { shellSession, expanded, mark } = withPipe(shell, list);
      await shellSession.run('STATE=kept');
      expect(await shellSession.run(expanded, { timeout: 100 })).toMatchObject({
        status: 'timeout',
        shellEnded: false,
      });
      expect(await shellSession.run('echo "$STATE"')).toMatchObject({ stdout: 'kept\n' });
      expect(existsSync(mark)).toBe(false);
    },
  );
});

function withPipe(shell: string, list: string) {
  const number = count++;
  const [pipe, mark] = [`${directory}/pipe-${number}`, `${directory}/mark-${number}`];
  execFileSync('mkfifo', [pipe]);
  const expanded = list.replaceAll('PIPE', pipe).replaceAll('MARK', `touch ${mark}`);
  return { shellSession: session({ shell }), expanded, mark };
}

// Other programs called sh have no `read -t`.
describe.each(SHELLS.filter((shell) => /\/(bash|zsh)$/.test(shell)))(
  'a list in a session of %s that reads a line without an end',
  (shell) => {
    it('goes no further, and only zsh loses its state', async () => {
      const mark = `${directory}/mark-${count++}`;
      const shellSession = session({ shell });
      await shellSession.run('STATE=kept');
      const list = `while :; do read -t 5 x < /dev/zero; done; touch ${mark}`;
      const isLost = shell.endsWith('zsh') || endsWith(shell, list);
      expect(await shellSession.run(list, { timeout: 100 })).toMatchObject({
        status: 'timeout',
        shellEnded: isLost,
      });
      expect(await shellSession.run('echo "$STATE"')).toMatchObject({ stdout: isLost ? '\n' : 'kept\n' });
      expect(existsSync(mark)).toBe(false);
    });
  },
);

describe('a command that is stopped otherwise', () => {
  it('is aborted by its signal', async () => {
    const shellSession = session();
    const controller = new AbortController();
    const running = shellSession.run('sleep 100; echo after', { signal: controller.signal });
    const waiting = shellSession.run('echo never', { signal: controller.signal });
    const last = shellSession.run('echo last');
    setTimeout(() => controller.abort(), 100);
    expect(await running).toMatchObject({ status: 'aborted', stdout: '', exitCode: null });
    expect(await waiting).toMatchObject({ status: 'aborted', error: { code: 'ABORT_ERR' } });
    expect(await last).toMatchObject({ stdout: 'last\n' });
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('is aborted by kill(%s) of its job', async (signal) => {
    const shellSession = session();
    await shellSession.run('STATE=kept');
    const job = shellSession.start('sleep 100; echo after');
    setTimeout(() => job.kill(signal), 50);
    expect(await job.result).toMatchObject({ status: 'aborted', stdout: '', shellEnded: false });
    expect(await shellSession.run('echo $STATE')).toMatchObject({ stdout: 'kept\n' });
  });

  it.each(SHELLS)('is interrupted as by Ctrl-C in %s', async (shell) => {
    const shellSession = session({ shell });
    expect(shellSession.interrupt()).toBe(false);
    await shellSession.run('STATE=kept');
    const running = shellSession.start('sh -c "echo begun; exec sleep 100"; echo after');
    await once(running, 'data');
    expect(shellSession.interrupt()).toBe(true);
    const { exitCode, stdout } = shell.endsWith('/bash')
      ? BASH_DOES.interrupted
      : { exitCode: 130, stdout: '' };
    expect(await running.result).toMatchObject({ status: 'exited', exitCode, stdout: `begun\n${stdout}` });
    expect(await shellSession.run('echo $STATE')).toMatchObject({ stdout: 'kept\n', exitCode: 0 });
  });
});

describe('a command that its host may not signal', { tags: ['root'] }, () => {
  it('ends at its timeout, and the next one gets a new shell', async () => {
    const report = await askNode<unknown>(`
      import { execFileSync } from 'node:child_process';
      import { ShellSession } from ${JSON.stringify(INDEX)};
      const session = new ShellSession({ shell: '/bin/sh', cwd: '/' });
      await session.run('true');
      const files = '/run/user/0/agent-bash.$0.* /dev/shm/agent-bash.$0.* /tmp/agent-bash.$0.*';
      execFileSync('sh', ['-c', 'chmod -R 777 ' + files + ' 2>/dev/null; true', String(process.pid)]);
      process.setuid(65534);
      const late = await session.run('sleep 100', { timeout: 100, forceKillAfterDelay: 100 });
      const next = await session.run('echo next');
      await session.close();
      console.log(JSON.stringify([late.status, late.shellEnded, next.stdout]));
    `);
    expect(report).toEqual(['timeout', true, 'next\n']);
  });
});
