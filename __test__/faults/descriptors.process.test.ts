import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';
import type { Resources } from '../support/processes.mjs';
import { TOOL_SHELL } from '../support/shells.js';
import { tag } from '../support/tag.js';
import { SETUP } from './program.js';

interface Failure {
  status: string;
  exitCode: number | null;
  signal: string | null;
  pid: number | null;
  stdout: string;
  code: string | undefined;
}

const BRIEF = `
  const brief = ({ status, exitCode, signal, pid, stdout, error }) =>
    ({ status, exitCode, signal, pid, stdout, code: error?.code });
`;

const FAILED: Failure = {
  status: 'failed',
  exitCode: null,
  signal: null,
  pid: null,
  stdout: '',
  code: 'EMFILE',
};

describe('without a free descriptor', () => {
  it.each([
    ['run()', "brief(await run('echo hi'))"],
    ['run() of an array', "brief(await run(['echo', 'hi']))"],
    ['run() with input', "brief(await run('cat', { input: 'hi' }))"],
    ['run() with merged output', "brief(await run('echo hi', { output: { merge: true } }))"],
    ['Jobs.start()', "brief(await new Jobs().start('echo hi').result)"],
    ['BashJob', "brief(await new BashJob({ command: 'echo hi' }, root).result)"],
  ])('%s fails with EMFILE', async (_, call) => {
    // A single free descriptor is enough for the directory, but not for the pipes.
    const report = await askNode<Failure>(`
      ${SETUP} ${BRIEF}
      await warmUp();
      await calm();
      limit('nofile', 90);
      exhaust(1);
      print(${call});
    `);
    expect(report).toEqual(FAILED);
  });

  it('bash() reports the error', async () => {
    const answers = await askNode<string[]>(`
      ${SETUP}
      limit('nofile', 90);
      const restore = exhaust(0);
      const first = await bash({ command: 'echo hi' }, root);
      restore();
      const second = await bash({ command: 'echo hi' }, root);
      exhaust(0);
      print([first, second, await bash({ command: 'echo hi' }, root)]);
    `);
    const failure = `Error: Failed to launch process: spawn ${TOOL_SHELL} EMFILE`;
    expect(answers).toEqual([failure, 'hi\n\n[Exit code: 0]', failure]);
  });

  it('nothing else is blamed, however many are missing', async () => {
    const outcomes = await askNode<string[]>(`
      ${SETUP}
      await warmUp();
      await calm();
      limit('nofile', 90);
      const outcomes = [];
      for (let free = 0; free <= 14; free++) {
        const restore = exhaust(free);
        const { status, stdout, error } = await run('echo hi', { cwd: '/', root: '/' });
        restore();
        outcomes.push(error === null ? status + ' ' + stdout : error.code);
        await calm();
      }
      print([...new Set(outcomes)]);
    `);
    expect(outcomes).toEqual(['EMFILE', 'exited hi\n']);
  });

  it.each([
    ['run()', "(await run('echo hi')).error.code"],
    ['run() that may go on', "(await run('echo hi', { onTimeout: 'background', timeout: 9e3 })).error.code"],
    ['Jobs.start()', "(await new Jobs().start('echo hi').result).error.code"],
  ])('%s fails with EMFILE also as the first call', async (_, call) => {
    const code = await askNode<string>(`
      ${SETUP}
      // The directory takes one.
      await bash({ command: 'true' }, root);
      Jobs.name;
      limit('nofile', 90);
      exhaust(0);
      print(${call});
    `);
    expect(code).toBe('EMFILE');
  });

  it('100 commands at once all fail, and nothing is left of them', async () => {
    const { codes, before, after } = await askNode<{
      codes: string[];
      before: Resources;
      after: Resources;
    }>(`
      ${SETUP}
      await warmUp();
      const before = await calm();
      limit('nofile', 90);
      const restore = exhaust(1);
      const results = await Promise.all(Array.from({ length: 100 }, () => bash({ command: 'true' }, root)));
      restore();
      print({ codes: [...new Set(results)], before, after: await calm() });
    `);
    expect(codes).toEqual([`Error: Failed to launch process: spawn ${TOOL_SHELL} EMFILE`]);
    expect(after).toEqual(before);
  });

  it('a job that runs already goes on, and its output is whole', async () => {
    const report = await askNode<{ status: string; length: number }>(`
      ${SETUP}
      await warmUp();
      limit('nofile', 90);
      const job = new Jobs().start('read line; seq 100000; exit 3', { stdin: 'pipe' });
      await until(() => job.pid, 'it runs');
      exhaust(0);
      job.end('go\\n');
      const { exitCode, stdout, totalBytes } = await job.result;
      print({ exitCode, length: stdout.length, bytes: totalBytes.stdout });
    `);
    expect(report).toEqual({ exitCode: 3, length: 588_895, bytes: 588_895 });
  });

  const STUBBORN = 'trap "" TERM; ';
  const STUBBORN_BELOW = `setsid sh -c '${STUBBORN}exec sleep TAG' & `;
  it.each([
    ['its group', 'sleep TAG & sleep TAG', 2, 'SIGTERM', 'SIGTERM'],
    ['all that has left its group', 'setsid sleep TAG & sleep TAG', 2, 'SIGKILL', 'SIGKILL'],
    [
      'any number of processes that left the group and ignore SIGTERM',
      `${STUBBORN}${STUBBORN_BELOW.repeat(6)}sleep TAG`,
      7,
      'SIGTERM',
      'SIGKILL',
    ],
  ])('a job is killed with %s', async (_, command, count, asked, ended) => {
    const report = await askNode<{ signal: string; left: number }>(
      `
        ${SETUP}
        await warmUp();
        limit('nofile', 90);
        const command = ${JSON.stringify(command)}.replaceAll('TAG', TAG);
        const job = new Jobs().start(command, { forceKillAfterDelay: 100 });
        await until(() => living('sleep\\0' + TAG).length === ${count}, 'all sleep');
        const restore = exhaust(0);
        job.kill('${asked}');
        const { signal } = await job.result;
        restore();
        print({ signal, left: living('sleep\\0' + TAG).length });
      `,
      { tag: tag() },
    );
    expect(report).toEqual({ signal: ended, left: 0 });
  });
});

describe('when descriptors are free again', () => {
  it('everything works, and nothing is left of the failures', async () => {
    const report = await askNode<{ works: string[]; before: Resources; after: Resources }>(`
      ${SETUP}
      await warmUp();
      const before = await calm();
      limit('nofile', 90);
      for (let free = 0; free < 14; free++) {
        const restore = exhaust(free);
        await Promise.all([run('echo hi'), bash({ command: 'echo hi' }, root), run('cat', { input: 'x' })]);
        restore();
      }
      const works = [(await run('cat', { input: 'run' })).stdout, await bash({ command: 'printf bash' }, root)];
      print({ works, before, after: await calm() });
    `);
    expect(report.works).toEqual(['run', 'bash\n[Exit code: 0]']);
    expect(report.after).toEqual(report.before);
  });

  it('an engine that could not start does', async () => {
    const report = await askNode<{ codes: string[]; works: string }>(`
      ${SETUP}
      limit('nofile', 90);
      const codes = [];
      for (let free = 0; free < 4; free++) {
        const restore = exhaust(free);
        codes.push((await new BashJob({ command: 'true' }, root).result).error.code);
        restore();
      }
      const { stdout } = await run('echo works');
      print({ codes, works: stdout, left: (await calm()).children });
    `);
    expect(report).toEqual({
      codes: ['EMFILE', 'EMFILE', 'EMFILE', 'EMFILE'],
      works: 'works\n',
      left: ['guardian'],
    });
  });
});
