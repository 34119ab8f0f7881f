import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withShell } from 'agent-bash/testing';
import { expect, it, vi } from 'vitest';
import { Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { deliberateDelay } from '../support/waits.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const directory = temporaryDirectory();

async function node(program: string): Promise<string> {
  const file = join(directory, 'program.cjs');
  writeFileSync(file, program);
  return (await promisify(execFile)(process.execPath, [file])).stdout;
}

const LOAD = `
  const { run } = require('${ROOT}index.js');
  const { withShell } = require('${ROOT}entry/testing.js');
`;

it('a replay starts no process and no thread of the engine', async () => {
  const file = join(directory, 'none.json');
  const program = (mode: string) => `${LOAD}
    withShell('x', { file: '${file}', mode: '${mode}' }, () => run('true | cat', { pipeStatus: true })).then(() => {
      const threads = require('fs').readdirSync('/proc/self/task').map((id) =>
        require('fs').readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim());
      console.log(threads.filter((name) => name.startsWith('agent-bash')).length);
    });`;
  expect(Number(await node(program('record')))).toBeGreaterThan(0);
  expect(await node(program('replay'))).toBe('0\n');
});

it('commands of other code run as ever while withShell() is active, and after it', async () => {
  const results = await Promise.all([
    withShell('x', { mode: 'fakes' }, async (shell) => {
      shell.fake('echo *', 'fake\n');
      await deliberateDelay(50);
      return (await run('echo real')).stdout;
    }),
    run('echo real').then(({ stdout }) => stdout),
  ]);
  expect([...results, (await run('echo real')).stdout]).toEqual(['fake\n', 'real\n', 'real\n']);
});

it('concurrent scopes have their own fakes', async () => {
  const one = (text: string) =>
    withShell(text, { mode: 'fakes' }, async (shell) => {
      shell.fake('x', text);
      await deliberateDelay(5);
      return (await run('x')).stdout;
    });
  expect(await Promise.all(['a', 'b', 'c'].map(one))).toEqual(['a', 'b', 'c']);
});

it('a job that nobody ends is ended with its test, when it is recorded and when it is replayed', async () => {
  const file = join(directory, 'left.json');
  const table = new Jobs();
  const act = async () => {
    const job = table.start('echo up; sleep 5');
    for await (const { text } of job) if (text === 'up\n') break;
    return job;
  };
  await withShell('x', { file, mode: 'record' }, async () => [await act()]);
  const [job] = await withShell('x', { file, mode: 'replay' }, async () => [await act()]);
  expect(await job?.result).toMatchObject({ status: 'aborted', stdout: 'up\n' });
  await table.dispose();
});

it.each(['virtual', 'timers'] as const)('time: %s works under fake timers', async (time) => {
  vi.useFakeTimers();
  try {
    const result = await withShell('x', { mode: 'fakes', time }, async (shell) => {
      shell.fake('slow', { chunks: [[500, 'stdout', 'late']], at: 900 });
      const job = new Jobs().start('slow');
      if (time === 'timers') await vi.advanceTimersByTimeAsync(1_000);
      return job.result;
    });
    expect(result).toMatchObject({ stdout: 'late', status: 'exited' });
  } finally {
    vi.useRealTimers();
  }
});

it('a double of another version is refused', async () => {
  const key = Symbol.for('agent-bash.double');
  Reflect.set(process, key, { version: '0.0.0' });
  try {
    await expect(run('true')).rejects.toThrow(
      'agent-bash/testing is of another version than agent-bash (0.0.0)',
    );
  } finally {
    Reflect.set(process, key, undefined);
  }
  expect((await run('true')).exitCode).toBe(0);
});

it('the package does not load its testing part by itself', () => {
  for (const name of ['core', 'features', 'index', 'on-demand', 'tools']) {
    expect(readFileSync(join(ROOT, `bundle/${name}.cjs`), 'utf8')).not.toContain('testing.cjs');
  }
});
