import { ShellSession } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { HOST_ENDS } from '../support/host-ends.js';
import { NodeProcess } from '../support/node.js';
import { privateDirectoriesOf } from '../support/private-directories.js';
import { descriptors, living, until } from '../support/processes.mjs';
import { within } from '../support/slowness.mjs';
import { tag } from '../support/tag.js';

describe.each(['process', 'state'] as const)('a host with a session that keeps the %s', (keep) => {
  it.each(HOST_ENDS)('that ends %s leaves no process and no file', async (_, end, signal) => {
    const seconds = tag();
    const program = `
      import { ShellSession } from ${JSON.stringify(new URL('../../entry/index.mjs', import.meta.url).href)};
      const session = new ShellSession({ keep: '${keep}' });
      await session.run('true');
      session.run('sleep ${seconds} & setsid sleep ${seconds} & sleep ${seconds}');
      await until(() => living('sleep\\0' + TAG).length === 3, 'all sleep');
      console.log('ready');
      ${end}`;
    const host = new NodeProcess(program, { tag: seconds });
    if (signal !== undefined) {
      await until(() => living(`sleep\0${seconds}`).length === 3, 'all sleep');
      expect(privateDirectoriesOf(host.process.pid)).toHaveLength(1);
      host.process.kill(signal);
    }
    await host.ended;
    await until(() => living(`sleep\0${seconds}`).length === 0, 'no process is left');
    await until(() => privateDirectoriesOf(host.process.pid).length === 0, 'no file is left');
  });
});

describe('many', () => {
  it('commands leave no descriptor and no file', async () => {
    const session = new ShellSession({ shell: '/bin/sh' });
    for (let count = 0; count < 20; count++) await session.run('echo x');
    const before = { open: descriptors().length, files: privateDirectoriesOf(process.pid).length };
    for (let count = 0; count < 1_000; count++) {
      const { stdout } = await session.run(`echo ${count}`);
      expect(stdout).toBe(`${count}\n`);
    }
    expect({ open: descriptors().length, files: privateDirectoriesOf(process.pid).length }).toEqual(before);
    await session.close();
    expect(privateDirectoriesOf(process.pid)).toEqual([]);
  });

  it('sessions run at once', async () => {
    const sessions = Array.from({ length: 60 }, () => new ShellSession({ shell: '/bin/sh' }));
    const results = await Promise.all(
      sessions.map(async (session, index) => {
        await session.run(`N=${index}`);
        return (await session.run('echo $N')).stdout;
      }),
    );
    expect(results).toEqual(sessions.map((_, index) => `${index}\n`));
    await Promise.all(sessions.map((session) => session.close()));
    expect(privateDirectoriesOf(process.pid)).toEqual([]);
  });

  it('timeouts that are due at once are all in time', async () => {
    const sessions = Array.from({ length: 20 }, () => new ShellSession({ shell: '/bin/sh' }));
    await Promise.all(sessions.map((session) => session.run('true')));
    const results = await Promise.all(
      sessions.map((session) => session.run('sleep 100; echo after', { timeout: within(100) })),
    );
    expect(results.map(({ status, stdout, shellEnded }) => [status, stdout, shellEnded])).toEqual(
      sessions.map(() => ['timeout', '', false]),
    );
    await Promise.all(sessions.map((session) => session.close()));
  });
});
