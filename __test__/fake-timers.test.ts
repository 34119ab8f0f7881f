import { createRequire } from 'node:module';
import { createTools } from 'agent-bash/tools';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Jobs, loginEnvironment, run } from '../index.js';

const require = createRequire(import.meta.url);

// Commands run in real time, so what waits for them does too.
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('run() settles under fake timers, with its output and its timeout', async () => {
  expect(await run('echo hi')).toMatchObject({ stdout: 'hi\n', status: 'exited' });
  expect((await run('sleep 60', { timeout: 50 })).status).toBe('timeout');
});

it('a job delivers its output and ends under fake timers', async () => {
  await using jobs = new Jobs();
  const job = jobs.start('seq 1 20000');
  let bytes = 0;
  job.on('data', (text) => {
    bytes += text.length;
  });
  expect((await job.result).exitCode).toBe(0);
  expect(bytes).toBe(108_894);
});

it('waits end at their timeout under fake timers', async () => {
  await using jobs = new Jobs();
  const job = jobs.start('sleep 60');
  expect((await jobs.wait(job.id, { timeout: 50 })).status).toBe('timeout');
  expect(await job.ready({ port: 1, timeout: 50 })).toMatchObject({ status: 'timeout' });
});

it.each([
  ['oh-my-pi', { command: 'echo hi', async: true }],
  ['bash', { command: 'echo hi', run_in_background: true }],
] as const)('a job of the tool %s is answered under fake timers', async (dialect, args) => {
  const toolset = createTools(dialect, dialect === 'oh-my-pi' ? { async: true } : {});
  const { isError } = await toolset.call(toolset.tools[0]?.name as string, args);
  await toolset.dispose();
  expect(isError).toBe(false);
});

it('the environment of a login shell is read under fake timers', async () => {
  expect(await loginEnvironment({ shell: '/bin/sh' })).toHaveProperty('PATH');
});

it('a package that is loaded under fake timers, all of them, runs and replays commands', async () => {
  vi.useRealTimers();
  vi.useFakeTimers({
    toFake: [
      'setTimeout',
      'clearTimeout',
      'setImmediate',
      'setInterval',
      'queueMicrotask',
      'hrtime',
      'performance',
      'Date',
    ],
  });
  const loaded = Object.keys(require.cache).filter((path) => path.includes('/bundle/'));
  for (const path of loaded) delete require.cache[path];
  const fresh: typeof import('../index.js') = require('../index.js');
  const { withShell }: typeof import('agent-bash/testing') = require('../entry/testing.js');
  expect(await fresh.bash({ command: 'echo hi' }, '/tmp')).toContain('hi');
  expect((await fresh.run('sleep 60', { timeout: 50 })).status).toBe('timeout');
  const result = await withShell('x', { mode: 'fakes' }, async (shell) => {
    shell.fake('slow', { chunks: [[500, 'stdout', 'late']] });
    return fresh.run('slow');
  });
  expect(result).toMatchObject({ stdout: 'late', durationMs: 500 });
});
