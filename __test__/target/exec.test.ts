import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, run, ShellSession, Target } from '../../index.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { newTarget, shellTarget } from './shell-target.js';

describe.skipIf(process.platform !== 'linux')('a command on a target', () => {
  it('has the result of a command here, and says where it ran', async () => {
    const target = newTarget();
    const first = await run('echo out; echo err >&2; exit 7', { target });
    expect(first).toMatchObject({ status: 'exited', exitCode: 7, signal: null, error: null });
    expect([first.stdout, first.stderr]).toEqual(['out\n', 'err\n']);
    expect(first.target).toMatchObject({ kind: 'exec', container: null });
    expect(first.target?.connectMs).toBeGreaterThan(0);
    expect(first.target?.copiedBytes).toBeGreaterThan(0);
    const next = await run('kill -9 $$', { target });
    expect(next).toMatchObject({ status: 'signaled', exitCode: null, signal: 'SIGKILL' });
    expect(next.target).toMatchObject({ connectMs: null, copiedBytes: 0 });
    expect((await run('true')).target).toBeNull();
  });

  it('gets the variables of env alone', async () => {
    const target = newTarget();
    const line = 'echo "$GIVEN ${PATH:+path} ${HOME:-gone} ${VITEST:-none}"';
    const env = { GIVEN: 'yes', HOME: undefined };
    expect((await run(line, { target, env })).stdout).toBe('yes path gone none\n');
    const bare = await run(['/usr/bin/env'], { target, env: { ONLY: '1' }, extendEnv: false });
    expect(bare.stdout).toBe('ONLY=1\n');
  });

  it('runs in a directory there, below a root there', async () => {
    const target = newTarget();
    expect((await run('pwd', { target, root: '/usr', cwd: 'bin/..' })).stdout).toBe('/usr\n');
    const outside = await run('pwd', { target, root: '/usr', cwd: '/' });
    expect(outside.error?.code).toBe('CWD_OUTSIDE');
    await expect(run('pwd', { target, cwd: 'bin' })).rejects.toThrow('an absolute path next to a target');
  });

  it('ends at its timeout, with daemons in sessions of their own', async () => {
    const seconds = tag();
    const line = `(setsid sleep ${seconds} >/dev/null 2>&1 &); echo up; sleep ${seconds}`;
    const result = await run(line, { target: newTarget(), timeout: 500 });
    expect(result).toMatchObject({ status: 'timeout', stdout: 'up\n' });
    expect(living(seconds)).toEqual([]);
  });

  it('does not start on a transport with a terminal, and says so', { tags: ['python3'] }, async () => {
    const exec = ['python3', '-c', 'import pty, sys; pty.spawn(sys.argv[1:])'];
    const { error } = await run('true', { target: { exec } });
    expect(error?.code).toBe('TARGET_SHELL');
    expect(error?.message).toContain("exec: 'python3' must carry bytes, and so without a terminal");
  });

  it('fails within connectTimeout where the error output of an ended transport stays open', async () => {
    const exec = ['sh', '-c', 'exec >&-; exec sleep 60', 'sh'];
    const begin = performance.now();
    const { error } = await run('true', { target: { exec, connectTimeout: 200 } });
    expect(error?.code).toMatch(/^TARGET_(SHELL|TIMEOUT)$/);
    // Without the limit, the rest of the error output would be awaited for 2 s.
    expect(performance.now() - begin).toBeLessThan(2_000);
  });

  // `rg` and `ag` search a pipe in place of the directory.
  it('has no pipe as its standard input, unless it has input', async () => {
    const target = newTarget();
    const line = 'readlink /proc/self/fd/0; wc -c';
    expect((await run(line, { target })).stdout).toBe('/dev/null\n0\n');
    expect((await run(line, { target, input: '' })).stdout).toMatch(/^pipe:\[\d+\]\n0\n$/);
    await using session = new ShellSession({ target });
    expect((await session.run(line)).stdout).toBe('/dev/null\n0\n');
  });

  it.each([['auto'], ['/bin/sh'], ['bash']])('may be longer than an argument: shell %s', async (shell) => {
    const text = 'ä'.repeat(200_000);
    const line = `echo ${text} | wc -m; echo $# '${text}' | tail -c 5; exit 3`;
    const result = await run(line, { target: newTarget(), shell });
    expect(result).toMatchObject({ status: 'exited', exitCode: 3, stderr: '' });
    expect(result.stdout).toMatch(/^\d+\nää\n$/);
  });

  it('does not find its own shell by its arguments', { tags: ['ps'] }, async () => {
    const line = `pkill -f 'sleep ${tag()}'; echo ran`;
    expect(await run(line, { target: newTarget() })).toMatchObject({ status: 'exited', stdout: 'ran\n' });
  });

  it('reads what is written to its job', async () => {
    const jobs = new Jobs();
    const job = jobs.start('cat', { target: newTarget(), stdin: 'pipe' });
    await job.write('some ');
    await job.write('text');
    job.end();
    expect((await job.result).stdout).toBe('some text');
    await expect(job.waiting()).rejects.toThrow('not available with a target');
    await jobs.dispose();
  });

  it('runs in a terminal there, whose screen is here', async () => {
    const jobs = new Jobs();
    const job = jobs.start('stty size; cat', { target: newTarget(), pty: { cols: 90, rows: 30 } });
    await job.waitForScreen('30 90');
    await job.write('typed\r');
    await job.waitForScreen('typed');
    job.kill('SIGKILL');
    expect((await job.result).signal).toBe('SIGKILL');
    await jobs.dispose();
  });

  it('goes on in the background at its timeout', async () => {
    const seconds = tag();
    const jobs = new Jobs();
    const options = { target: newTarget(), timeout: 300, onTimeout: 'background' as const, jobs };
    const partial = await run(`echo up; sleep ${seconds}`, options);
    expect(partial).toMatchObject({ status: 'background', stdout: 'up\n' });
    const job = jobs.get(partial.jobId ?? '');
    job?.kill();
    expect((await job?.result)?.signal).toBe('SIGTERM');
    expect(living(seconds)).toEqual([]);
    await jobs.dispose();
  });

  it('leaves nothing there but the cached helper when its target was given as options', async () => {
    const seconds = tag();
    const { home, options } = shellTarget();
    const result = await run(`sleep ${seconds} >/dev/null 2>&1 & echo up`, { target: options });
    expect(result.backgroundPids).toHaveLength(1);
    await until(() => living(seconds).length === 0, 'the background process is gone');
    await until(() => living(join(home, '.cache')).length === 0, 'the helper is gone');
    expect(readdirSync(join(home, '.cache/agent-bash'))).toEqual([
      expect.stringMatching(/^helper-[0-9a-f]{64}$/),
    ]);
    expect(readdirSync(join(home, 'tmp'))).toEqual([]);
  });

  it('fails when the target is disposed, and so does the next one', async () => {
    const target = newTarget();
    const running = run('echo up; sleep 100', { target });
    await run('true', { target });
    await target.dispose();
    await target.dispose();
    expect((await running).error?.code).toBe('TARGET_CLOSED');
    const late = await run('true', { target });
    expect(late).toMatchObject({ status: 'failed', error: { message: 'The target was disposed.' } });
  });

  it('aborts while its target connects', async () => {
    const target = new Target({ exec: ['sh', '-c', 'sleep 100', 'x'] });
    const result = await run('true', { target, signal: AbortSignal.timeout(100) });
    expect(result.status).toBe('aborted');
    await target.dispose();
  });

  it('does not run where its target can not be reached', async () => {
    const { status, error, pid } = await run('true', { target: { exec: ['/nowhere/transport'] } });
    expect({ status, error, pid }).toEqual({
      status: 'failed',
      error: { code: 'TARGET_START', message: "'/nowhere/transport' can't be started: ENOENT." },
      pid: null,
    });
  });
});

describe('the options of a target', () => {
  it.each([
    [{}, 'expected exactly one of exec, ssh and container'],
    [{ exec: [] }, 'exec: expected a program and its arguments, without null bytes'],
    [{ ssh: { host: '-oProxyCommand=x' } }, 'ssh.host: expected a name without blanks'],
    [{ container: { name: 'a b' } }, 'container.name: expected a name without blanks'],
    [{ exec: ['sh'], idle: 0 }, 'idle: expected a number of milliseconds'],
    [{ exec: ['sh'], colour: 1 }, 'colour: unknown field `colour`'],
  ])('%j are a TypeError', (options, message) => {
    expect(() => new Target(options as never)).toThrow(TypeError);
    expect(() => new Target(options as never)).toThrow(`Invalid option 'options': ${message}`);
  });

  it.each([
    { sandbox: 'read-only', root: '/' },
    { environment: { inherit: 'none' } },
    { onWaiting: 'eof' },
    { pipeStatus: true },
  ])('exclude %j', async (options) => {
    const target = { exec: ['sh', '-c', 'exec "$@"', 'x'] };
    await expect(run('true', { ...options, target } as never)).rejects.toMatchObject({
      code: 'ERR_FEATURE_UNAVAILABLE',
    });
  });
});
