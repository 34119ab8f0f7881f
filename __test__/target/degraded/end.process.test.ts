import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { INDEX, NodeProcess } from '../../support/node.js';
import { living, until } from '../../support/processes.mjs';
import { tag } from '../../support/tag.js';
import { otherSystem, SHELLS } from './other-system.js';

/** Programs that a script needs, without those that start a session. */
function withoutSetsid(): string {
  const directory = temporaryDirectory();
  for (const name of [
    'bash',
    'cat',
    'dd',
    'env',
    'head',
    'rm',
    'sed',
    'sleep',
    'wc',
    'seq',
    'mkdir',
    'chmod',
  ])
    symlinkSync(join('/usr/bin', name), join(directory, name));
  return directory;
}

async function expectNothing(home: string): Promise<void> {
  await until(() => living(home).length === 0, 'no process is left');
  expect(readdirSync(join(home, 'tmp'))).toEqual([]);
}

describe.skipIf(process.platform !== 'linux')(
  'the end of a command without a helper',
  { timeout: 120_000 },
  () => {
    it.each(SHELLS)(
      'comes with a timeout, an abort or a kill, also for what it has started, by %s',
      async (_, shell) => {
        const { home, target } = otherSystem({ shell });
        const seconds = tag();
        const line = `sleep ${seconds} & echo up; sleep ${seconds}`;
        const late = await run(line, { target, timeout: 700 });
        expect(late).toMatchObject({ status: 'timeout', stdout: 'up\n', stderr: '' });
        expect(living(seconds)).toEqual([]);
        const controller = new AbortController();
        const aborted = run(line, { target, signal: controller.signal });
        await until(() => living(seconds).length >= 2, 'both run');
        controller.abort();
        expect((await aborted).status).toBe('aborted');
        expect(living(seconds)).toEqual([]);
        const jobs = new Jobs();
        const job = jobs.start(line, { target });
        await until(() => living(seconds).length >= 2, 'both run');
        job.kill('SIGKILL');
        expect(await job.result).toMatchObject({ exitCode: 137 });
        expect(living(seconds)).toEqual([]);
        await jobs.dispose();
        await target.dispose();
        await expectNothing(home);
      },
    );

    it.each(SHELLS)('comes with SIGKILL for one that ignores its kill signal, by %s', async (_, shell) => {
      const { target } = otherSystem({ shell });
      const seconds = tag();
      const line = `trap "" TERM; sleep ${seconds} & while :; do sleep ${seconds}; done`;
      const result = await run(line, { target, timeout: 500, forceKillAfterDelay: 300 });
      expect(result.status).toBe('timeout');
      await until(() => living(seconds).length === 0, 'nothing is left');
    });

    it.each(SHELLS)('can be handled by the command, by %s', async (_, shell) => {
      const { target } = otherSystem({ shell });
      const line = 'trap "echo interrupted; exit 3" INT; echo up; while :; do sleep 0.1; done';
      const jobs = new Jobs();
      const job = jobs.start(line, { target });
      await until(() => job.read().text.includes('up'), 'it runs');
      job.kill('SIGINT');
      expect(await job.result).toMatchObject({ exitCode: 3, stdout: 'up\ninterrupted\n' });
      await jobs.dispose();
    });

    it('waits for output that comes shortly after, and kills what is left then', async () => {
      const { home, target } = otherSystem();
      const seconds = tag();
      const line = `(sleep 0.05; echo late; exec sleep ${seconds}) & echo up`;
      expect(await run(line, { target })).toMatchObject({
        status: 'exited',
        stdout: 'up\nlate\n',
        backgroundPids: [],
      });
      await until(() => living(seconds).length === 0, 'the process that was left is gone');
      await expectNothing(home);
    });

    it.each(SHELLS)('comes when Node.js is killed, by %s', async (_, shell) => {
      const { home, options } = otherSystem({ shell });
      const seconds = tag();
      const program = `
      import { run } from ${JSON.stringify(INDEX)};
      await run('sleep ' + TAG + ' & sleep ' + TAG, { target: ${JSON.stringify(options)}, input: 'x' });
    `;
      const node = new NodeProcess(program, { tag: seconds });
      await until(() => living(seconds).length >= 2, 'both processes run');
      node.process.kill('SIGKILL');
      await until(() => living(seconds).length === 0, 'nothing is left', 12_000);
      await expectNothing(home);
    });

    it('comes with the disposal of its target', async () => {
      const { home, target } = otherSystem();
      const seconds = tag();
      const running = run(`sleep ${seconds}`, { target });
      await until(() => living(seconds).length > 0, 'it runs');
      await target.dispose();
      expect((await running).error?.code).toBe('TARGET_CLOSED');
      // The shell there ends it when the connection has closed.
      await until(() => living(seconds).length === 0, 'nothing is left');
      await expectNothing(home);
      expect((await run('true', { target })).error?.code).toBe('TARGET_CLOSED');
    });

    it('reaches the command alone where nothing starts a process group', async () => {
      const { target } = otherSystem({ shell: '/bin/dash', path: withoutSetsid() });
      const seconds = tag();
      const first = await run('echo up', { target });
      expect(first.target?.missing).toContain('tree');
      const late = await run(`exec sleep ${seconds}`, { target, timeout: 500 });
      expect(late.status).toBe('timeout');
      await until(() => living(seconds).length === 0, 'nothing is left');
    });

    it('reaches the group that bash starts without setsid', async () => {
      const { target } = otherSystem({ shell: '/bin/bash', path: withoutSetsid() });
      const seconds = tag();
      const result = await run(`sleep ${seconds} & sleep ${seconds}`, { target, timeout: 500 });
      expect(result.status).toBe('timeout');
      expect(result.target?.missing).not.toContain('tree');
      await until(() => living(seconds).length === 0, 'nothing is left');
    });

    it('goes on in the background at its timeout', async () => {
      const { target } = otherSystem();
      const seconds = tag();
      const jobs = new Jobs();
      const options = { target, timeout: 500, onTimeout: 'background' as const, jobs };
      const partial = await run(`echo up; sleep ${seconds}`, options);
      expect(partial).toMatchObject({ status: 'background', stdout: 'up\n', backgroundPids: [] });
      const job = jobs.get(partial.jobId ?? '');
      job?.kill();
      expect((await job?.result)?.exitCode).toBe(143);
      expect(living(seconds)).toEqual([]);
      await jobs.dispose();
    });

    it('is no start for one that was aborted while it connects', async () => {
      const { home, target } = otherSystem({ line: 'sleep 0.5; exec "$@"' });
      await run('true', { target });
      const result = await run(`echo >'${home}/ran'`, { target, signal: AbortSignal.timeout(200) });
      expect(result.status).toBe('aborted');
      await target.dispose();
      expect(existsSync(join(home, 'ran'))).toBe(false);
    });

    it('does not run where its transport fails', async () => {
      const { home, target } = otherSystem({
        line: '[ "$(wc -l <"${0%/*}/log")" -gt 1 ] || exec "$@"; echo no >&2; exit 255',
      });
      const result = await run(`echo >'${home}/ran'`, { target });
      expect(result).toMatchObject({ status: 'failed', pid: null, error: { code: 'TARGET_SHELL' } });
      expect(result.error?.message).toContain('"no"');
      expect(existsSync(join(home, 'ran'))).toBe(false);
    });
  },
);
