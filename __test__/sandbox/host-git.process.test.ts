import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs } from '../../index.js';
import { workspace } from './support.js';

const COMMANDS = [
  'status',
  'log',
  'branch -a',
  'worktree list --porcelain',
  'config --list --local',
  'stash list',
  'fsck',
  'rev-parse --git-dir --show-toplevel --is-inside-work-tree --is-bare-repository',
  'rev-parse --path-format=absolute --git-common-dir --git-path hooks --git-path index --git-path config',
];

const MAY_BE_ABSOLUTE = ['rev-parse --git-common-dir', 'rev-parse --git-path hooks'];

/** A sandbox over a repository with one commit, and the answers of git on the host. */
function repository(level: object) {
  const options = workspace(level);
  const git = (line: string) => {
    const words = [
      '-C',
      options.root,
      '-c',
      'user.name=T',
      '-c',
      'user.email=t@example.org',
      ...line.split(' '),
    ];
    return String(execFileSync('git', words));
  };
  git('init -q');
  writeFileSync(join(options.root, 'file'), 'text');
  git('add file');
  git('commit -qm first');
  return { options, answers: (lines: string[]) => lines.map(git) };
}

describe('git on the host', { tags: ['git', 'sandbox'] }, () => {
  it('answers the same while a command runs, but for absolute paths of what worktrees share', async () => {
    const { options, answers } = repository({});
    const [before, shared] = [answers(COMMANDS), answers(MAY_BE_ABSOLUTE)];
    await using table = new Jobs();
    const job = table.start('echo started; sleep 1000', options);
    await once(job, 'data');
    expect(existsSync(join(options.root, '.git/commondir'))).toBe(true);
    expect(answers(COMMANDS)).toEqual(before);
    expect(answers(MAY_BE_ABSOLUTE)).toEqual(shared.map((path) => join(options.root, path)));
    job.kill();
    await job.result;
    expect(existsSync(join(options.root, '.git/commondir'))).toBe(false);
    expect(answers(MAY_BE_ABSOLUTE)).toEqual(shared);
  });

  const reading = [{ git: 'read-only' }, { level: 'read-only' }];
  it.each(reading)('finds nothing new in a repository that a command can only read: %o', async (level) => {
    const { options, answers } = repository(level);
    const before = answers(MAY_BE_ABSOLUTE);
    await using table = new Jobs();
    const job = table.start('echo started; sleep 1000', options);
    await once(job, 'data');
    expect(answers(MAY_BE_ABSOLUTE)).toEqual(before);
    job.kill();
    await job.result;
  });
});
