import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { isAlive, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { endOf, printed, sleepers } from './support.js';

const directory = temporaryDirectory();
const drain = { idle: 50 };

/** Ways to leave a process behind, each with how many. `N` is how long it sleeps. */
const WAYS: Array<[string, { command: string; count: number }]> = [
  ['that holds the output', { command: 'sleep N &', count: 1 }],
  ['with its output redirected', { command: 'sleep N >/dev/null 2>&1 &', count: 1 }],
  ['by nohup', { command: 'nohup sleep N >/dev/null 2>&1 </dev/null &', count: 1 }],
  ['in a session of its own, which holds the output', { command: 'setsid sleep N &', count: 1 }],
  ['in a session of its own, all closed', { command: 'setsid sleep N <&- >&- 2>&- &', count: 1 }],
  ['born twice', { command: '(sleep N &)', count: 1 }],
  [
    'born twice, in a session of its own, all closed',
    { command: '(setsid sleep N <&- >&- 2>&- &)', count: 1 },
  ],
  [
    'born three times, without an environment, in /',
    {
      command: "(cd /; env -i /bin/sh -c '(/usr/bin/setsid /bin/sleep N </dev/null >/dev/null 2>&1 &)')",
      count: 1,
    },
  ],
  [
    'of five together',
    {
      command: `sleep N & sleep N >/dev/null 2>&1 & (setsid sleep N <&- >&- 2>&- &)
        setsid sleep N & (sleep N >/dev/null 2>&1 &)`,
      count: 5,
    },
  ],
  ['that is stopped', { command: 'sleep N >/dev/null 2>&1 & sleep 0.1; kill -STOP $!', count: 1 }],
  ['that ignores SIGTERM', { command: `(trap '' TERM HUP INT; exec sleep N >/dev/null 2>&1) &`, count: 1 }],
];

/** Leaves them behind, once all of them sleep, and exits with 3. */
function commandOf(way: string, count: number, seconds: string): string {
  const sleeping = `$(pgrep -cfx '(/bin/)?sleep ${seconds}')`;
  return `${way.replaceAll('N', seconds)}
    echo now; until [ "${sleeping}" -ge ${count} ]; do sleep 0.01; done; exit 3`;
}

describe.each(WAYS)('a process left behind %s', { tags: ['ps'] }, (_, { command, count }) => {
  it('is reported and runs on, with keep', async () => {
    const seconds = tag();
    const result = await run(commandOf(command, count, seconds), { drain });
    const alive = sleepers(seconds);
    expect(endOf(result)).toEqual({ status: 'exited', exitCode: 3, signal: null, error: null });
    expect({ stdout: result.stdout, reported: result.backgroundPids.toSorted((a, b) => a - b) }).toEqual({
      stdout: 'now\n',
      reported: alive,
    });
    expect(alive).toHaveLength(count);
    // A kill would have happened by now.
    for (let round = 0; round < 5; round++) await run('sleep 0.02');
    expect(sleepers(seconds)).toEqual(alive);
  });

  it('is gone when the answer comes, with kill', async () => {
    const seconds = tag();
    const result = await run(commandOf(command, count, seconds), {
      drain,
      background: 'kill',
      forceKillAfterDelay: 200,
    });
    const left = sleepers(seconds);
    expect(endOf(result)).toEqual({ status: 'exited', exitCode: 3, signal: null, error: null });
    expect({ stdout: result.stdout, left, reported: result.backgroundPids }).toEqual({
      stdout: 'now\n',
      left: [],
      reported: [],
    });
  });

  it('is a job that can be killed, with adopt', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const answer = await run(commandOf(command, count, seconds), {
      drain,
      background: 'adopt',
      forceKillAfterDelay: 200,
      jobs: table,
    });
    const alive = sleepers(seconds);
    expect(alive).toHaveLength(count);
    expect({
      end: endOf(answer),
      stdout: answer.stdout,
      reported: answer.backgroundPids.toSorted((a, b) => a - b),
    }).toEqual({
      end: { status: 'exited', exitCode: 3, signal: null, error: null },
      stdout: 'now\n',
      reported: alive,
    });
    const job = table.get(answer.jobId ?? '');
    expect({ status: job?.status, isBackground: job?.isBackground }).toEqual({
      status: 'running',
      isBackground: true,
    });
    expect(job?.kill()).toBe(true);
    const { finished } = await table.wait(job?.id);
    expect({
      left: sleepers(seconds),
      reported: finished.map(({ backgroundPids }) => backgroundPids),
    }).toEqual({
      left: [],
      reported: [[]],
    });
  });
});

describe('a command that leaves nothing behind', () => {
  it.each(['keep', 'kill', 'adopt'] as const)(
    'is no job and names no process, with %s',
    async (background) => {
      await using table = new Jobs();
      const result = await run('sleep 0.1 & (sleep 0.1 &); wait; sleep 0.2; echo hi; exit 3', {
        background,
        jobs: table,
      });
      expect({ end: endOf(result), jobId: result.jobId, reported: result.backgroundPids }).toEqual({
        end: { status: 'exited', exitCode: 3, signal: null, error: null },
        jobId: null,
        reported: [],
      });
      expect({ stdout: result.stdout, jobs: table.list() }).toEqual({ stdout: 'hi\n', jobs: [] });
    },
  );

  it('does not name the processes of others that start at the same time', async () => {
    const seconds = tag();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        run(index % 2 ? `sleep ${seconds} >/dev/null 2>&1 &` : 'sleep 0.05; true', { drain }),
      ),
    );
    const reported = results.map(({ backgroundPids }) => backgroundPids.length);
    expect(reported).toEqual(Array.from({ length: 20 }, (_, index) => index % 2));
    expect(results.flatMap(({ backgroundPids }) => backgroundPids).sort((a, b) => a - b)).toEqual(
      sleepers(seconds),
    );
  });
});

describe('a process that was kept', () => {
  it('may go on writing to the output without dying of it', async () => {
    const stop = join(directory, 'stop-writing');
    const count = join(directory, 'count');
    const writer = `(i=0; until [ -e ${stop} ]; do echo $i; echo $i >&2; i=$((i+1)); echo $i >${count}; sleep 0.01; done; echo survived >${count})`;
    const { backgroundPids, stdout } = await run(`${writer} & echo now; exit 0`, {
      drain: { idle: 20, max: 100 },
    });
    expect(backgroundPids.length).toBeGreaterThan(0);
    expect(stdout).toContain('now\n');
    const written = () => (existsSync(count) ? Number(readFileSync(count, 'utf8')) : 0);
    const before = written();
    await until(() => written() > before + 10, 'it writes on');
    writeFileSync(stop, '');
    await until(() => readFileSync(count, 'utf8') === 'survived\n', 'it has survived');
  });

  it('may write more than a pipe takes', async () => {
    const done = join(directory, 'written');
    await run(`(sleep 0.3; head -c 2000000 /dev/zero && touch ${done}) & echo now`, { drain: { idle: 50 } });
    await until(() => existsSync(done), 'all is written');
  });

  it('of a command of a table is reported too', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const result = await table.start(`sleep ${seconds} & exit 3`, { drain }).result;
    expect({ exitCode: result.exitCode, reported: result.backgroundPids }).toEqual({
      exitCode: 3,
      reported: sleepers(seconds),
    });
    expect(result.backgroundPids).toHaveLength(1);
  });

  it('is no longer reached by kill()', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const job = table.start(`sleep ${seconds} & exit 3`, { drain });
    const { backgroundPids } = await job.result;
    expect(job.kill()).toBe(false);
    expect(backgroundPids.map(isAlive)).toEqual([true]);
  });
});

describe('with background kill', () => {
  it('of a table the leftovers are gone too', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const job = table.start(
      `sleep ${seconds} & (setsid sleep ${seconds} <&- >&- 2>&- &) ; sleep 0.1; exit 3`,
      {
        drain,
        background: 'kill',
      },
    );
    const { exitCode, backgroundPids } = await job.result;
    expect({ exitCode, backgroundPids, left: sleepers(seconds) }).toEqual({
      exitCode: 3,
      backgroundPids: [],
      left: [],
    });
  });

  it('a death by signal stays one', async () => {
    const seconds = tag();
    const result = await run(`sleep ${seconds} & kill -KILL $$`, { drain, background: 'kill' });
    expect({ end: endOf(result), left: sleepers(seconds) }).toEqual({
      end: { status: 'signaled', exitCode: null, signal: 'SIGKILL', error: null },
      left: [],
    });
  });

  it('keeps the output that follows SIGTERM', async () => {
    const ready = join(directory, 'says-bye');
    const child = `(trap 'echo bye; exit 0' TERM; echo up; touch ${ready}; while :; do sleep 0.03; done)`;
    const { stdout } = await run(`${child} & until [ -e ${ready} ]; do sleep 0.02; done; exit 0`, {
      drain,
      background: 'kill',
    });
    expect(stdout).toBe('up\nbye\n');
  });
});

describe('an adopted job', () => {
  it('is over when the last process ends, and has all output', async () => {
    await using table = new Jobs();
    const first = join(directory, 'first');
    const second = join(directory, 'second');
    const waitFor = (file: string) => `(until [ -e ${file} ]; do sleep 0.02; done; echo ${file})`;
    const answer = await run(`${waitFor(first)} & ${waitFor(second)} & echo now; exit 7`, {
      drain,
      background: 'adopt',
      jobs: table,
    });
    const job = table.get(answer.jobId ?? '');
    if (job === undefined) throw new Error('no job');
    expect({ stdout: answer.stdout, exitCode: answer.exitCode }).toEqual({ stdout: 'now\n', exitCode: 7 });
    writeFileSync(first, '');
    await printed(job, first);
    expect(job.status).toBe('running');
    writeFileSync(second, '');
    const result = await job.result;
    expect(endOf(result)).toEqual({ status: 'exited', exitCode: 7, signal: null, error: null });
    expect({ stdout: result.stdout, reported: result.backgroundPids, id: result.jobId }).toEqual({
      stdout: `now\n${first}\n${second}\n`,
      reported: [],
      id: job.id,
    });
    expect(job.read().text).toBe(result.stdout);
  });

  it('is over when silent processes end', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const { jobId } = await run(`(setsid sleep ${seconds} <&- >&- 2>&- &) ; sleep 0.1; exit 7`, {
      background: 'adopt',
      jobs: table,
    });
    expect((await table.wait(jobId ?? '', { timeout: 200 })).status).toBe('timeout');
    for (const pid of sleepers(seconds)) process.kill(pid, 'SIGKILL');
    const { finished } = await table.wait(jobId ?? '');
    expect(finished.map(endOf)).toEqual([{ status: 'exited', exitCode: 7, signal: null, error: null }]);
  });

  it('has its backgroundTimeout', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const { jobId, status } = await run(`sleep ${seconds} >/dev/null 2>&1 & exit 7`, {
      background: 'adopt',
      backgroundTimeout: 300,
      jobs: table,
    });
    const { finished } = await table.wait(jobId ?? '');
    expect([status, finished[0]?.status, finished[0]?.exitCode]).toEqual(['exited', 'timeout', 7]);
    expect(sleepers(seconds)).toEqual([]);
  });

  it('is not reached by the signal', async () => {
    await using table = new Jobs();
    const seconds = tag();
    const controller = new AbortController();
    const { jobId } = await run(`sleep ${seconds} >/dev/null 2>&1 & exit 7`, {
      background: 'adopt',
      signal: controller.signal,
      jobs: table,
    });
    controller.abort();
    expect((await table.wait(jobId ?? '', { timeout: 200 })).pending).toEqual([jobId]);
    expect(sleepers(seconds)).toHaveLength(1);
  });

  it('passes signals on to who is left', async () => {
    await using table = new Jobs();
    const ready = join(directory, 'says-got');
    const child = `(trap 'echo got; exit 0' USR1; echo up; touch ${ready}; while :; do sleep 0.03; done)`;
    const { jobId } = await run(`${child} & until [ -e ${ready} ]; do sleep 0.02; done`, {
      drain,
      background: 'adopt',
      jobs: table,
    });
    const job = table.get(jobId ?? '');
    expect(job?.kill('SIGUSR1')).toBe(true);
    expect((await job?.result)?.stdout).toBe('up\ngot\n');
  });

  it('that no table takes is ended, and the answer says why', async () => {
    await using table = new Jobs({ maxRunning: 1 });
    table.start('exec sleep 60');
    const seconds = tag();
    const result = await run(`sleep ${seconds} >/dev/null 2>&1 & echo hi; exit 3`, {
      background: 'adopt',
      jobs: table,
    });
    expect(endOf(result)).toEqual({ status: 'exited', exitCode: 3, signal: null, error: 'JOB_LIMIT' });
    expect({
      stdout: result.stdout,
      jobId: result.jobId,
      reported: result.backgroundPids,
      left: sleepers(seconds),
    }).toEqual({ stdout: 'hi\n', jobId: null, reported: [], left: [] });
  });
});
