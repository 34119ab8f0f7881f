import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunOptions, run } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { facts, marked, runWarm, waiting, warmUp } from './support.js';

const root = temporaryDirectory();
let directories = 0;

function fresh(): string {
  directories += 1;
  const path = join(root, String(directories));
  mkdirSync(path);
  return path;
}

const COMMAND = 'echo "$0 $X $PWD"; ulimit -n; ulimit -f; nowhere';

/** Options of a call that differ from those that a shell waits for. */
const OTHERS: Array<[string, RunOptions]> = [
  ['variable', { env: { X: 'other' } }],
  ['environment', { extendEnv: false }],
  ['choice about asking', { nonInteractive: true }],
  ['directory', { cwd: '/' }],
  ['root', { root: '/' }],
  ['limit', { limits: { openFiles: 50 } }],
  ['second limit', { limits: { fileSize: 4096 } }],
  ['way of output', { output: { merge: true } }],
  ['shell', { shell: '/bin/sh' }],
  ['flag', { shell: ['/bin/bash', '-lc'] }],
  ['second flag', { shell: ['/bin/bash', '--norc', '-c'] }],
  ['input', { input: 'text' }],
];

describe.concurrent('a shell that waits is not for a call with another', () => {
  it.each(OTHERS)('%s', async (_, other) => {
    const options = marked({ cwd: fresh(), shell: '/bin/bash', env: { X: 'mine', HOME: root } });
    const [waits] = await warmUp(options);
    const changed = { ...options, ...other, env: { ...options.env, ...other.env } };
    const { result, wasWarm } = await runWarm(COMMAND, changed);
    expect(wasWarm).toBe(false);
    expect(facts(result)).toEqual(facts(await run(COMMAND, changed)));
    // The shell still waits for a command with its own key.
    const own = await runWarm(COMMAND, options);
    expect(own.result.pid).toBe(waits);
  });
});

/** Options of a call that no shell can see. */
const SAME: Array<[string, Omit<RunOptions, 'env'>]> = [
  ['timeout', { timeout: 50_000, idleTimeout: 40_000 }],
  ['limit of output', { output: { maxBytes: 3, stripAnsi: true } }],
  ['signal', { signal: new AbortController().signal, killSignal: 'SIGINT' }],
  ['fate of processes that are left', { background: 'kill' }],
  ['way to go on', { onTimeout: 'background', timeout: 50_000 }],
];

describe.concurrent('a shell that waits is also for a call with another', () => {
  it.each(SAME)('%s', async (_, other) => {
    const options = { ...marked({ cwd: fresh(), shell: '/bin/bash' }) };
    await warmUp(options);
    const changed = { ...options, ...other };
    const { result, wasWarm } = await runWarm(COMMAND, changed);
    expect(wasWarm).toBe(true);
    expect(facts(result)).toEqual(facts(await run(COMMAND, changed)));
  });
});

describe.concurrent('the directory', () => {
  it('that was removed is missing', async () => {
    const options = marked({ cwd: fresh(), shell: '/bin/bash' });
    await warmUp(options);
    rmSync(options.cwd as string, { recursive: true });
    const { result } = await runWarm('echo hi', options);
    expect(result.error?.code).toBe('CWD_MISSING');
    expect(result).toMatchObject({ status: 'failed', pid: null, stdout: '' });
  });

  it('that was created again is the new one', async () => {
    const cwd = fresh();
    const options = marked({ cwd, shell: '/bin/bash' });
    await warmUp(options);
    rmSync(cwd, { recursive: true });
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'new'), '');
    const { result, wasWarm } = await runWarm('ls; pwd -P; touch made', options);
    expect({ wasWarm, stdout: result.stdout }).toEqual({ wasWarm: false, stdout: `new\n${cwd}\n` });
    expect(existsSync(join(cwd, 'made'))).toBe(true);
  });

  it('that a link leads to is where it leads now', async () => {
    const [first, second, link] = [fresh(), fresh(), join(root, 'link')];
    symlinkSync(first, link);
    const options = marked({ cwd: link, shell: '/bin/bash' });
    await warmUp(options);
    rmSync(link);
    symlinkSync(second, link);
    const { result, wasWarm } = await runWarm('pwd -P', options);
    expect({ wasWarm, stdout: result.stdout }).toEqual({ wasWarm: false, stdout: `${second}\n` });
    expect(result.cwd).toBe(second);
  });

  it('that was renamed, with a link in its place, has its new path', async () => {
    const cwd = fresh();
    const options = marked({ cwd, shell: '/bin/bash' });
    await warmUp(options);
    renameSync(cwd, `${cwd}-moved`);
    symlinkSync(`${cwd}-moved`, cwd);
    const { result, wasWarm } = await runWarm('pwd', options);
    expect({ wasWarm, stdout: result.stdout }).toEqual({ wasWarm: false, stdout: `${cwd}-moved\n` });
  });

  it('that has left its root is refused', async () => {
    const [top, elsewhere] = [fresh(), fresh()];
    const inside = join(top, 'inside');
    mkdirSync(inside);
    const link = join(top, 'link');
    symlinkSync(inside, link);
    const options = marked({ cwd: link, root: top, shell: '/bin/bash' });
    await warmUp(options);
    rmSync(link);
    symlinkSync(elsewhere, link);
    const { result } = await runWarm('pwd -P', options);
    expect(result).toMatchObject({ status: 'failed', pid: null });
  });
});

describe('process.env', () => {
  it('is that of the call', async () => {
    const options = marked({ shell: '/bin/bash' });
    process.env.OF_THE_CALL = 'before';
    try {
      await warmUp(options);
      process.env.OF_THE_CALL = 'after';
      const { result, wasWarm } = await runWarm('echo $OF_THE_CALL', options);
      expect({ wasWarm, stdout: result.stdout }).toEqual({ wasWarm: false, stdout: 'after\n' });
      expect(waiting(options).length).toBeGreaterThan(0);
    } finally {
      delete process.env.OF_THE_CALL;
    }
  });
});

describe('the mask', () => {
  it('is that of the call', async () => {
    const options = marked({ shell: '/bin/bash' });
    await warmUp(options);
    const before = process.umask(0o77);
    try {
      const { result, wasWarm } = await runWarm('umask', options);
      expect({ wasWarm, stdout: result.stdout }).toEqual({ wasWarm: false, stdout: '0077\n' });
    } finally {
      process.umask(before);
    }
  });
});
