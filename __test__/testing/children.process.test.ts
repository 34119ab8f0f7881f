import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { ShellOptions, TestShell } from 'agent-bash/testing';
import { withShell } from 'agent-bash/testing';
import { beforeEach, expect, it } from 'vitest';
import { run } from '../../index.js';
import { ROOT } from '../install/support/repository.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX } from '../support/node.js';

let directory = '';
let file = '';
let program = '';

beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory, 'cassette.json');
  program = join(directory, 'program.cjs');
});

const LOAD = `const { run } = require('${INDEX}');`;
const STAMP = `${LOAD} run(process.argv[2] ?? 'date +%s%N').then(({ stdout }) => console.log(stdout.trim()));`;

/** Runs a program as a child of a test, and returns what it has printed. */
async function child(shell: TestShell, text: string, words: string[] = [], name = 'server'): Promise<string> {
  writeFileSync(program, text);
  const env = { ...process.env, ...shell.childEnv(name) };
  return (await promisify(execFile)(process.execPath, [program, ...words], { env })).stdout.trim();
}

function inMode<T>(
  mode: 'record' | 'replay',
  act: (shell: TestShell) => Promise<T>,
  more: ShellOptions = {},
) {
  return withShell('x', { file, mode, ...more }, act);
}

async function failureOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no failure',
    (error: Error) => error.message,
  );
}

const sections = () => Object.keys(JSON.parse(readFileSync(file, 'utf8')).tests);

it('a child process answers from the section that it has recorded', async () => {
  const act = async (shell: TestShell) => [await child(shell, STAMP), (await run('date +%s%N')).stdout];
  const recorded = await inMode('record', act);
  expect(sections()).toEqual(['x', 'x [child server]']);
  expect(await inMode('replay', act)).toEqual(recorded);
});

it('a test whose commands are all those of a child is replayed too', async () => {
  const act = (shell: TestShell) => child(shell, STAMP);
  const recorded = await withShell('x', { file, mode: 'auto' }, act);
  expect(await withShell('x', { file, mode: 'auto' }, act)).toBe(recorded);
});

it('a child takes no part any more after its process, and its variable reaches no command', async () => {
  const act = (shell: TestShell) => child(shell, STAMP, ['echo "[$AGENT_BASH_TESTING]"']);
  expect(await inMode('record', act)).toBe('[]');
});

it('each of several processes with one name has a section, in the order of their starts', async () => {
  const act = async (shell: TestShell) => [await child(shell, STAMP), await child(shell, STAMP)];
  const recorded = await inMode('record', act);
  expect(sections()).toEqual(['x', 'x [child server 2]', 'x [child server]']);
  expect(await inMode('replay', act)).toEqual(recorded);
});

it('what fails in a child fails the test', async () => {
  await inMode('record', (shell) => child(shell, STAMP, ['echo one']));
  const message = await failureOf(inMode('replay', (shell) => child(shell, STAMP, ['echo two'])));
  expect(message).toContain('CASSETTE_MISS in "x [child server]": no recording of\n    - echo one');
  expect(message).toContain('    + echo two');
});

it('a child that does not start leaves its commands unused', async () => {
  await inMode('record', (shell) => child(shell, STAMP, ['echo one']));
  const message = await failureOf(inMode('replay', async () => {}));
  expect(message).toContain('CASSETTE_UNUSED in "x [child server]": 1 of 1 recorded commands did not run:');
  await inMode('record', () => run('true'));
  expect(sections()).toEqual(['x']);
});

it('the commands of a killed child are recorded up to its end', async () => {
  const text = `${LOAD} run('echo 1').then(() => { run('sleep 60'); setImmediate(() => console.log('up')); });`;
  const act = async (shell: TestShell) => {
    writeFileSync(program, text);
    const env = { ...process.env, ...shell.childEnv('server') };
    const started = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(started.stdout, 'data');
    started.kill('SIGKILL');
    await once(started, 'exit');
  };
  await inMode('record', act);
  const entries = JSON.parse(readFileSync(file, 'utf8')).tests['x [child server]'];
  expect(entries.map((entry: { run: string }) => entry.run)).toEqual(['echo 1', 'sleep 60']);
  await inMode('replay', act);
});

it('a worker answers from a section of its own, without a variable', async () => {
  const act = async () => {
    const text = `${LOAD} run('date +%s%N').then(({ stdout }) => require('worker_threads').parentPort.postMessage(stdout));`;
    const first = new Worker(text, { eval: true });
    const [one] = await once(first, 'message');
    const second = new Worker(text, { eval: true });
    const [two] = await once(second, 'message');
    await Promise.all([first.terminate(), second.terminate()]);
    return [one, two];
  };
  const recorded = await inMode('record', act);
  expect(sections()).toEqual(['x', 'x [child worker 2]', 'x [child worker]']);
  expect(await inMode('replay', act)).toEqual(recorded);
});

it('a worker of a child has a section too, and a worker after the test runs its commands', async () => {
  const text = `${LOAD} const { Worker } = require('worker_threads');
    new Worker(${JSON.stringify(`${LOAD} run('date +%s%N').then(({ stdout }) => console.log(stdout.trim()))`)}, { eval: true });`;
  const act = (shell: TestShell) => child(shell, text);
  const recorded = await inMode('record', act);
  expect(sections()).toEqual(['x', 'x [child server-worker]']);
  expect(await inMode('replay', act)).toBe(recorded);
  const after = new Worker(
    `${LOAD} run('echo real').then(({ stdout }) => require('worker_threads').parentPort.postMessage(stdout))`,
    {
      eval: true,
    },
  );
  expect(await once(after, 'message')).toEqual(['real\n']);
  await after.terminate();
});

it('holes and secrets are replaced in what a child records', async () => {
  process.env.MY_API_TOKEN = 'correct-horse-battery';
  try {
    const holes = { port: /localhost:(\d+)/ };
    const act = (port: number) => (shell: TestShell) =>
      child(shell, STAMP, [`echo localhost:${port} $MY_API_TOKEN alice`]);
    const redact = (text: string) => text.replaceAll('alice', 'someone');
    await inMode('record', act(4123), { holes, redact });
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('localhost:<hole:port> <secret:MY_API_TOKEN> someone\\n');
    expect(text).not.toMatch(/correct-horse|alice/);
    await inMode('record', act(4123), { holes });
    expect(await inMode('replay', act(5201), { holes })).toBe('localhost:5201 <secret:MY_API_TOKEN> alice');
  } finally {
    delete process.env.MY_API_TOKEN;
  }
});

it('a test and another one with its name in brackets are no test and child', async () => {
  const file2 = (mode: 'record' | 'replay', name: string) =>
    withShell(name, { file, mode }, async () => (await run(`echo ${name.length}`)).stdout);
  for (const mode of ['record', 'replay'] as const) {
    for (const name of ['x', 'x [1]', 'x [server]']) expect(await file2(mode, name)).toBe(`${name.length}\n`);
  }
  expect(sections()).toEqual(['x', 'x [1]', 'x [server]']);
});

it('a new child of a recorded test says how to record it', async () => {
  await inMode('record', () => run('true'));
  const message = await failureOf(
    inMode('replay', async (shell) => {
      await run('true');
      await child(shell, STAMP, ['echo new']);
    }),
  );
  expect(message).toContain('CASSETTE_MISS in "x [child server]"');
  expect(message).toContain('If meant: AGENT_BASH_CASSETTES=record');
});

it('a child that the test starts by this package is recorded as one command', async () => {
  const act = async (shell: TestShell) => {
    writeFileSync(program, STAMP);
    const { stdout } = await run([process.execPath, program], { env: shell.childEnv('server') });
    return stdout;
  };
  const recorded = await inMode('record', act);
  expect(sections()).toEqual(['x']);
  expect(await inMode('replay', act)).toBe(recorded);
});

it('a process that starts after its test says so', async () => {
  let env = {};
  await withShell('x', { mode: 'fakes' }, async (shell) => {
    env = shell.childEnv('server');
  });
  writeFileSync(program, STAMP);
  const late = promisify(execFile)(process.execPath, [program], { env: { ...process.env, ...env } });
  await expect(late).rejects.toThrow('AGENT_BASH_TESTING is set by a test that is over');
});

it("a child in mode 'fakes' says that the test's fakes do not reach it", async () => {
  const act = async (shell: TestShell) => {
    shell.fake('date *', 'now');
    return child(shell, STAMP);
  };
  const message = await failureOf(withShell('x', { mode: 'fakes' }, act));
  expect(message).toContain('FAKE_MISS in "x [child server]": no fake answers\n    + date +%s%N\n');
  expect(message).toContain(
    "fakes do not reach its children: record the test (mode: 'auto'), or use withShell()",
  );
});

it('a child answers by fakes of its own', async () => {
  const text = `const { withShell } = require('${join(ROOT, 'entry/testing.js')}'); ${LOAD}
    withShell('own', { mode: 'fakes' }, async (shell) => {
      shell.fake('date *', 'now');
      console.log((await run('date +%s')).stdout);
    });`;
  expect(await withShell('x', { mode: 'fakes' }, (shell) => child(shell, text))).toBe('now');
});

it('a wrong name of a child is refused', async () => {
  for (const name of ['', 'a b', '../x', 'worker', 7]) {
    const act = (shell: TestShell) => child(shell, STAMP, [], name as never);
    expect(await failureOf(inMode('record', act))).toContain("Invalid option 'name'");
  }
});
