import { describe, expect, it } from 'vitest';
import { INDEX } from '../support/node.js';
import { tag } from '../support/tag.js';
import { askNodeWithMounts, isRoot, SETUP } from './program.js';

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

describe.skipIf(!isRoot)('without /proc', () => {
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
});
