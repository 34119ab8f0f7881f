import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const root = temporaryDirectory();
const options = { cwd: root, nonInteractive: true, timeout: 20_000, shell: '/bin/bash' };

describe('with nonInteractive', () => {
  it('git opens no editor', async () => {
    const script = `
      set -e
      git init -q -b main . && git config user.name A && git config user.email a@example.org
      git commit -q --allow-empty -m first
      git checkout -q -b side && git commit -q --allow-empty -m side
      git checkout -q main && git commit -q --allow-empty -m main
      git merge -q --no-ff side
      git commit -q --amend --allow-empty
      git rebase -q -i HEAD~1
      git log --format=%s -3`;
    const { status, exitCode, stdout, stderr } = await run(script, options);
    expect({ status, exitCode, stderr }).toEqual({ status: 'exited', exitCode: 0, stderr: '' });
    expect(stdout).toContain('main\n');
  });

  it('pagers let the text through', async () => {
    const command = 'seq 1000 | $PAGER; seq 1000 | $GIT_PAGER; seq 1000 | $MANPAGER';
    const { stdout } = await run(command, options);
    expect(stdout.split('\n')).toHaveLength(3_001);
  });

  it('and without it nothing of that is set', async () => {
    const names = ['PAGER', 'GIT_EDITOR', 'GIT_SEQUENCE_EDITOR', 'GIT_MERGE_AUTOEDIT'];
    const env = Object.fromEntries(names.map((name) => [name, undefined]));
    const command = 'echo "$PAGER,$GIT_SEQUENCE_EDITOR,$GIT_MERGE_AUTOEDIT,$GIT_EDITOR"';
    expect((await run(command, { env })).stdout).toBe(',,,\n');
    expect((await run(command, { nonInteractive: true })).stdout).toMatch(/^cat,true,no,sh -c /);
  });

  it("the caller's own values win", async () => {
    const { stdout } = await run('echo "$PAGER $EDITOR"', {
      nonInteractive: true,
      env: { PAGER: 'less', EDITOR: 'vi' },
    });
    expect(stdout).toBe('less vi\n');
  });
});
