import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { living, until } from '../support/processes.mjs';
import { sleeping } from '../support/sleeping.js';
import { tag } from '../support/tag.js';

/** A server of a user's, with its output redirected. */
const server = (seconds: string) => `setsid sleep ${seconds} >/dev/null 2>&1 & echo started`;

describe('a process that a command leaves running', () => {
  it('stays by default, and is named', async () => {
    const seconds = tag();
    const { status, stdout, backgroundPids } = await run(server(seconds));
    expect({ status, stdout }).toEqual({ status: 'exited', stdout: 'started\n' });
    expect(backgroundPids).toHaveLength(1);
    expect(await sleeping(seconds)).toEqual(backgroundPids);
  });

  it("is killed with 'kill'", async () => {
    const seconds = tag();
    const { exitCode, backgroundPids } = await run(server(seconds), { background: 'kill' });
    expect({ exitCode, backgroundPids }).toEqual({ exitCode: 0, backgroundPids: [] });
    expect(living(`sleep\0${seconds}`)).toEqual([]);
  });

  it("becomes a job with 'adopt', which can be killed", async () => {
    const seconds = tag();
    const table = new Jobs();
    const { status, stdout, exitCode, jobId, backgroundPids } = await run(server(seconds), {
      background: 'adopt',
      jobs: table,
    });
    expect({ stdout, exitCode, backgroundPids }).toEqual({
      stdout: 'started\n',
      exitCode: 0,
      backgroundPids: await sleeping(seconds),
    });
    expect(['exited', 'background']).toContain(status);
    expect(table.list().map(({ id }) => id)).toEqual([jobId]);
    expect(table.kill(jobId as string)).toBe(true);
    await table.wait(jobId as string);
    await until(() => living(`sleep\0${seconds}`).length === 0, 'none is left');
    await table.dispose();
  });
});
