import { describe, expect, it } from 'vitest';
import { bash, Jobs, run } from '../../index.js';
import { sleeping } from '../support/sleeping.js';
import { tag } from '../support/tag.js';

describe('a child in the background that holds the output open', () => {
  it('does not keep run() waiting, and is reported', async () => {
    const seconds = tag();
    const { status, exitCode, stdout, backgroundPids, durationMs } = await run(
      `echo before; sleep ${seconds} & echo after; exit 3`,
    );
    expect({ status, exitCode, stdout, backgroundPids }).toEqual({
      status: 'exited',
      exitCode: 3,
      stdout: 'before\nafter\n',
      backgroundPids: await sleeping(seconds),
    });
    expect(backgroundPids).toHaveLength(1);
    expect(durationMs).toBeLessThan(20_000);
  });

  it('does not keep a job of a table waiting', async () => {
    const seconds = tag();
    const table = new Jobs();
    const result = await table.start(`setsid sleep ${seconds} & echo done`).result;
    expect([result.status, result.stdout, result.backgroundPids]).toEqual([
      'exited',
      'done\n',
      await sleeping(seconds),
    ]);
    await table.dispose();
  });

  it('does not lose what it says shortly after the exit', async () => {
    expect((await run('(sleep 0.02; echo late) & echo now')).stdout).toBe('now\nlate\n');
  });

  it('with its output redirected does not keep bash() waiting', async () => {
    const seconds = tag();
    expect(await bash({ command: `nohup sleep ${seconds} >/dev/null 2>&1 & echo started` }, '/')).toBe(
      'started\n\n[Exit code: 0]',
    );
    expect(await sleeping(seconds)).toHaveLength(1);
  });
});
