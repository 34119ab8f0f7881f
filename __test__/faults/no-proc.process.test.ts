import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { askNodeWithForeignProc, askNodeWithMounts, SETUP } from './program.js';

/** An empty /proc. */
const MOUNT = 'mount -t tmpfs none /proc';

/** The beginning of a program with a session, and the directory that two of its commands share. */
const SESSION = `
  import { ShellSession } from ${JSON.stringify(INDEX)};
  const print = (value) => console.log(JSON.stringify(value));
  const session = new ShellSession({ shell: '/bin/sh' });
  const shared = async () => {
    await session.run('cd /tmp');
    const { stdout, cwd } = await session.run('pwd');
    await session.close();
    return [stdout, cwd];
  };
`;

describe('without /proc', { tags: ['mounts'] }, () => {
  it('commands run', async () => {
    const report = await askNodeWithMounts<unknown>(
      MOUNT,
      `
        ${SETUP}
        const { status, exitCode, stdout, backgroundPids, error } = await run('cat; exit 5', { input: 'hi' });
        print([await bash({ command: 'echo hi' }, '/'), { status, exitCode, stdout, backgroundPids, error }]);
      `,
    );
    expect(report).toEqual([
      'hi\n\n[Exit code: 0]',
      { status: 'exited', exitCode: 5, stdout: 'hi', backgroundPids: [], error: null },
    ]);
  });

  it.each([
    ['kill()', '', "job.kill('SIGKILL');", 'signaled', 'SIGKILL'],
    ['a timeout', 'timeout: 300,', '', 'timeout', 'SIGTERM'],
  ])('%s ends a job with its group', async (_, options, end, status, signal) => {
    const seconds = tag();
    const report = await askNodeWithMounts<unknown>(
      MOUNT,
      `
        ${SETUP}
        const command = 'sleep ${seconds} & echo $!; echo $$; exec sleep ${seconds}';
        const job = new Jobs().start(command, { ${options} });
        await until(() => job.read().text.split('\\n').length === 3, 'it runs');
        const pids = job.read().text.trim().split('\\n').map(Number);
        ${end}
        const { status, signal } = await job.result;
        const isThere = (pid) => { try { process.kill(pid, 0); return true } catch { return false } };
        // A killed process is gone when init has reaped it.
        await until(() => !pids.some(isThere), 'none is left');
        print({ status, signal });
      `,
    );
    expect(report).toEqual({ status, signal });
  });

  it('a long command runs', async () => {
    const report = await askNodeWithMounts<unknown>(
      MOUNT,
      `${SETUP} print((await run(': ' + 'x'.repeat(300_000) + '; echo works')).stdout);`,
    );
    expect(report).toBe('works\n');
  });

  it('a session runs commands in its shell', async () => {
    const report = await askNodeWithMounts<unknown>(MOUNT, `${SESSION} print(await shared());`);
    expect(report).toEqual(['/tmp\n', '/tmp']);
  });

  it('a timeout ends the shell of a session, and none of the list goes on', async () => {
    const report = await askNodeWithMounts<unknown>(
      MOUNT,
      `
        ${SESSION}
        const { status, stdout, shellEnded } = await session.run('sleep 100; echo after', { timeout: 100 });
        const next = await session.run('echo next');
        await session.close();
        print({ status, stdout, shellEnded, next: next.stdout });
      `,
    );
    expect(report).toEqual({ status: 'timeout', stdout: '', shellEnded: true, next: 'next\n' });
  });

  it('a host that is killed leaves no stopped command', async () => {
    const seconds = tag();
    const program = `${SETUP} new Jobs().start(['sleep', '${seconds}']); setInterval(() => {}, 1000);`;
    const words = [
      '--mount',
      'sh',
      '-c',
      `${MOUNT} && exec "$@"`,
      'sh',
      process.execPath,
      '--input-type=module',
    ];
    const host = spawn('unshare', [...words, '-e', program], { stdio: 'ignore' });
    const exit = once(host, 'exit');
    const commands = () => living(seconds).filter((pid) => pid !== host.pid);
    await until(() => commands().length === 1, 'the command runs');
    host.kill('SIGKILL');
    await exit;
    await until(() => commands().length === 0, 'it is gone');
  });
});

describe('with an outdated /proc/loadavg, as in some containers', { tags: ['mounts'] }, () => {
  it('a process that its command has left is found', async () => {
    const file = join(temporaryDirectory(), 'loadavg');
    const report = await askNodeWithMounts<unknown>(
      `echo 0 0 0 1/1 $$ >${file} && mount --bind ${file} /proc/loadavg`,
      `
        ${SETUP}
        await run('true');
        // The file is up to date for the shell, but not for what it starts.
        const command = 'echo 0 0 0 1/1 $$ >${file}; sleep 100 >/dev/null 2>&1 & echo $!';
        const { stdout, backgroundPids } = await run(command, { shell: '/bin/sh' });
        process.kill(Number(stdout));
        print(backgroundPids.join() === stdout.trim());
      `,
    );
    expect(report).toBe(true);
  });
});

const LAST_PID = '/proc/sys/kernel/ns_last_pid';

describe.skipIf(!existsSync(LAST_PID))(
  'beside the /proc of another PID namespace',
  { tags: ['root'] },
  () => {
    it('a session knows its directory', async () => {
      const report = await askNodeWithForeignProc<unknown>(`${SESSION} print(await shared());`);
      expect(report).toEqual(['/tmp\n', '/tmp']);
    });

    it('a kill reaches no bystander whose pid is that of a child in the other namespace', async () => {
      const outer = spawn('sh', ['-c', 'sleep 100 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
      const child = Number(String((await once(outer.stdout, 'data'))[0]));
      onTestFinished(() => {
        process.kill(child, 'SIGKILL');
      });
      const report = await askNodeWithForeignProc<unknown>(`
      import { spawn } from 'node:child_process';
      import { once } from 'node:events';
      import { writeFileSync } from 'node:fs';
      import { run } from ${JSON.stringify(INDEX)};
      await run('true');
      const next = (pid) => writeFileSync('${LAST_PID}', String(pid - 1));
      next(${child});
      const bystander = spawn('sleep', ['100']);
      const exit = once(bystander, 'exit');
      next(${outer.pid});
      const { pid, status } = await run(['sleep', '100'], { timeout: 100 });
      process.kill(bystander.pid, 'SIGUSR1');
      const [, signal] = await exit;
      console.log(JSON.stringify([bystander.pid, pid, status, signal]));
    `);
      expect(report).toEqual([child, outer.pid, 'timeout', 'SIGUSR1']);
    });
  },
);
