import { describe, expect, it } from 'vitest';
import { SHELLS, session } from './support.js';

describe.each(SHELLS.filter((shell) => /bash|zsh/.test(shell)))(
  'the statuses of a pipeline in %s',
  (shell) => {
    it.each(['process', 'state'] as const)('are reported with pipeStatus, with keep: %s', async (keep) => {
      const shellSession = session({ shell, keep });
      const statuses = async (command: string) =>
        (await shellSession.run(command, { pipeStatus: true })).pipeStatus;
      expect(await statuses('false | true | false')).toEqual([1, 0, 1]);
      expect(await statuses('true | (exit 5)')).toBeNull();
      expect(await statuses('echo x; false | true')).toEqual([1, 0]);
      expect((await shellSession.run('false | true')).pipeStatus).toBeNull();
    });

    it('change nothing for the command', async () => {
      const shellSession = session({ shell });
      expect(await shellSession.run('true | false', { pipeStatus: true })).toMatchObject({
        exitCode: 1,
        pipeStatus: [0, 1],
      });
      expect(await shellSession.run('echo a | cat \\', { pipeStatus: true })).toMatchObject({
        pipeStatus: null,
      });
      expect(await shellSession.run('false | cat <<E\nx\nE', { pipeStatus: true })).toMatchObject({
        stdout: 'x\n',
        pipeStatus: null,
      });
    });
  },
);

it.each(['process', 'state'] as const)(
  'no statuses are known in sh, and the command is as without, with keep: %s',
  async (keep) => {
    const shellSession = session({ shell: 'sh', keep });
    const { stdout, pipeStatus } = await shellSession.run('echo a | cat', { pipeStatus: true });
    expect([stdout, pipeStatus]).toEqual(['a\n', null]);
  },
);
