import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';
import type { Resources } from '../support/processes.mjs';
import { TOOL_SHELL } from '../support/shells.js';
import { tag } from '../support/tag.js';
import { SETUP } from './program.js';

/** The limit counts a user's processes, and does not bind root: so the program runs as a user of its own. */
const AS_SOMEBODY = `
  ${SETUP}
  const user = 100_000 + process.pid;
  process.setgroups([]);
  process.setgid(user);
  process.setuid(user);
  // A login shell of bash would fail to read its start files from the home of the tests.
  process.env.HOME = '/';
`;

describe('at the process limit', { tags: ['root'] }, () => {
  it('commands fail with EAGAIN, later ones work, and nothing is left', async () => {
    const report = await askNode<{
      failed: unknown[];
      works: string[];
      before: Resources;
      after: Resources;
    }>(`
      ${AS_SOMEBODY}
      await warmUp();
      const before = await calm();
      const raise = limitLater('nproc', 500);
      limit('nproc', 1);
      const [ofRun, ofBash, ofJob] = await Promise.all([
        run('echo hi'),
        bash({ command: 'echo hi' }, root),
        new Jobs().start(['true']).result,
      ]);
      const failed = [[ofRun.status, ofRun.pid, ofRun.error], ofBash, ofJob.error];
      await raise();
      const works = [(await run('echo run')).stdout, await bash({ command: 'echo bash' }, root)];
      print({ failed, works, before, after: await calm() });
    `);
    expect(report.failed).toEqual([
      ['failed', null, { code: 'EAGAIN', message: 'spawn /bin/bash EAGAIN' }],
      `Error: Failed to launch process: spawn ${TOOL_SHELL} EAGAIN`,
      { code: 'EAGAIN', message: 'spawn true EAGAIN' },
    ]);
    expect(report.works).toEqual(['run\n', 'bash\n\n[Exit code: 0]']);
    expect(report.after).toEqual(report.before);
  });

  it('a command is started if there is room within half a second', async () => {
    const stdout = await askNode<string>(`
      ${AS_SOMEBODY}
      await warmUp();
      const raise = limitLater('nproc', 500);
      limit('nproc', 1);
      const result = run('echo patient');
      await deliberateDelay(50);
      await raise();
      print((await result).stdout);
    `);
    expect(stdout).toBe('patient\n');
  });

  it('an engine that could not start does so later', async () => {
    const report = await askNode<unknown>(`
      ${AS_SOMEBODY}
      const raise = limitLater('nproc', 500);
      limit('nproc', 1);
      const answer = await bash({ command: 'echo hi' }, root);
      await raise();
      print([answer, await bash({ command: 'echo hi' }, root), (await calm()).children]);
    `);
    expect(report).toEqual([
      `Error: Failed to launch process: spawn ${TOOL_SHELL} EAGAIN`,
      'hi\n\n[Exit code: 0]',
      ['guardian'],
    ]);
  });

  it.each([
    ['kill()', '', 'job.kill();', 'signaled'],
    ['its timeout', '{ timeout: 1000 }', '', 'timeout'],
  ])('%s ends a job', async (_, options, end, status) => {
    const report = await askNode<unknown>(
      `
        ${AS_SOMEBODY}
        await warmUp();
        await calm();
        const job = new Jobs().start('echo hi; setsid sleep ' + TAG + ' & sleep ' + TAG, ${options || '{}'});
        await until(() => living('sleep\\0' + TAG).length === 2, 'both sleep');
        limit('nproc', 1);
        ${end}
        const { status, signal, stdout, error } = await job.result;
        print({ status, signal, stdout, error, left: living('sleep\\0' + TAG).length });
      `,
      { tag: tag() },
    );
    expect(report).toEqual({ status, signal: 'SIGTERM', stdout: 'hi\n', error: null, left: 0 });
  });

  it('many commands do not wait long for their failure', async () => {
    const elapsed = await askNode<number>(`
      ${AS_SOMEBODY}
      await warmUp();
      limit('nproc', 1);
      const start = performance.now();
      await Promise.all(Array.from({ length: 12 }, () => run('true')));
      print(performance.now() - start);
    `);
    expect(elapsed).toBeLessThan(3_500);
  });
});
