import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withShell } from 'agent-bash/testing';
import { beforeEach, expect, it } from 'vitest';
import { Jobs, run, ShellSession, Target } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { shellTarget } from '../target/shell-target.js';
import { plain } from './support/plain.js';

let file = '';

beforeEach(() => {
  file = join(temporaryDirectory(), 'cassette.json');
});

const inMode = <T>(mode: 'record' | 'replay', act: () => Promise<T>) => withShell('x', { file, mode }, act);

/** Records a test, makes its transport unusable, and replays it. Both must give the same. */
async function both(act: (home: ReturnType<typeof shellTarget>) => Promise<unknown>): Promise<unknown> {
  const there = shellTarget();
  const recorded = plain(await inMode('record', () => act(there)));
  rmSync(there.home, { recursive: true });
  expect(plain(await inMode('replay', () => act(there)))).toEqual(recorded);
  expect(existsSync(there.home)).toBe(false);
  return recorded;
}

it('commands on a target, its state and its end are replayed', async () => {
  const recorded = await both(async ({ home, options }) => {
    const target = new Target(options);
    const states = [target.state];
    const first = await run('echo there; exit 3', { target, cwd: home });
    states.push(target.state);
    await using session = new ShellSession({ target, cwd: home });
    const second = await session.run('X=1; echo $X');
    await session.close();
    await target.dispose();
    states.push(target.state);
    const last = await run('true', { target, cwd: home });
    return { first, second, last, states };
  });
  expect(JSON.stringify(recorded)).toContain('"new","open","closed"');
  expect(JSON.stringify(recorded)).toContain('TARGET_CLOSED');
});

it('a target of one command, and one that can not be reached, are replayed', async () => {
  await both(async ({ home, options }) => [
    await run('echo $0', { target: options, cwd: home }),
    await run('true', { target: { exec: ['/nowhere/transport'] }, cwd: '/' }),
  ]);
});

it('jobs end with their target as they did', async () => {
  const recorded = await both(async ({ home, options }) => {
    const target = new Target(options);
    await using jobs = new Jobs();
    const job = jobs.start('echo up; sleep 60', { target, cwd: home });
    for await (const { text } of job) if (text === 'up\n') break;
    await target.dispose();
    return job.result;
  });
  expect(JSON.stringify(recorded)).toContain('TARGET_CLOSED');
});

it('a job that is killed after the end of its target waits for no kill', async () => {
  await both(async ({ home, options }) => {
    const target = new Target(options);
    await using jobs = new Jobs();
    const job = jobs.start('echo up; sleep 60', { target, cwd: home });
    for await (const { text } of job) if (text === 'up\n') break;
    const disposed = target.dispose();
    // In the recording, the job may end after the target.
    if (existsSync(home)) job.kill();
    await disposed;
    return job.result;
  });
});

it('a probe of a target is replayed', async () => {
  await both(async ({ options }) => {
    await using target = new Target(options);
    const { connectMs, nextMs, skewMs, ...facts } = await target.probe();
    expect(typeof connectMs).toBe('number');
    return { facts, others: [typeof nextMs, typeof skewMs] };
  });
});
