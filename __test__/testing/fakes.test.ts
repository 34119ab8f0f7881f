import { faults, withShell } from 'agent-bash/testing';
import { describe, expect, it } from 'vitest';
import { BashJob, bash, Jobs, run, ShellSession } from '../../index.js';

const fakes = <T>(act: Parameters<typeof withShell<T>>[2]) => withShell('fakes', { mode: 'fakes' }, act);

describe('a fake', () => {
  it('answers with text, and with an exit code', async () => {
    await fakes(async (shell) => {
      shell.fake('git describe *', 'v1.2.3\n');
      shell.fake('npm test', { chunks: [[5, 'stderr', 'no\n']], exitCode: 1 });
      expect(await run('git describe --tags')).toMatchObject({
        stdout: 'v1.2.3\n',
        status: 'exited',
        exitCode: 0,
      });
      expect(await run('npm test')).toMatchObject({ stderr: 'no\n', output: 'no\n', exitCode: 1 });
    });
  });

  it('gives one answer to all calls, and each of several to one', async () => {
    await fakes(async (shell) => {
      shell.fake('one', '1');
      shell.fake('two', 'a', 'b');
      const texts = [];
      for (const command of ['one', 'one', 'two', 'two']) texts.push((await run(command)).stdout);
      expect(texts).toEqual(['1', '1', 'a', 'b']);
    });
  });

  it('is asked by a function, which may answer later', async () => {
    await fakes(async (shell) => {
      shell.fake(
        ({ command, env, input }) => command === 'x' && env.A === '1' && input === 'in',
        async ({ cwd }) => ({ chunks: [[0, 'stdout', cwd]], exitCode: 2 }),
      );
      const result = await run('x', { cwd: '/', env: { A: '1' }, input: 'in' });
      expect(result).toMatchObject({ stdout: '/', exitCode: 2 });
    });
  });

  it('matches each command of a line, and what a wrapper runs', async () => {
    await fakes(async (shell) => {
      shell.fake('npm *', 'ok');
      shell.fake(/^cargo/, 'built');
      expect((await run('npm ci && npm test')).stdout).toBe('ok');
      expect((await run('timeout 9 npm ci')).stdout).toBe('ok');
      expect((await run(['npm', 'ci'])).stdout).toBe('ok');
      expect((await run('cargo build | tee log')).stdout).toBe('built');
    });
  });

  it('is what a job, a session and the bash tool get', async () => {
    await fakes(async (shell) => {
      shell.fake('greet', {
        chunks: [
          [0, 'stdout', 'hi '],
          [20, 'stdout', 'there\n'],
        ],
      });
      await using jobs = new Jobs();
      const job = jobs.start('greet');
      const chunks = [];
      for await (const { text } of job) chunks.push(text);
      expect(chunks).toEqual(['hi ', 'there\n']);
      expect(job.read().text).toBe('hi there\n');
      await using session = new ShellSession();
      expect((await session.run('greet')).stdout).toBe('hi there\n');
      expect(await bash({ command: 'greet' }, '/tmp')).toBe('hi there\n\n[Exit code: 0]');
      expect((await new BashJob({ command: 'greet' }, '/tmp').result).stdout).toBe('hi there\n');
    });
  });

  it('has pids that no process has', async () => {
    await fakes(async (shell) => {
      shell.fake('x', 'a');
      const { pid } = await run('x');
      expect(pid).toBeGreaterThanOrEqual(2 ** 30);
      expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
    });
  });

  it('has its output cut, converted and shown as that of a real command', async () => {
    await fakes(async (shell) => {
      shell.fake('long', Array.from({ length: 2000 }, (_, index) => `${index + 1}\n`).join(''));
      shell.fake('red', '\u001b[31mred\u001b[0m\n');
      const options = { output: { maxBytes: 200 } };
      const real = await withShell('live', { mode: 'live' }, () => run('seq 1 2000', options));
      expect(await run('long', options)).toMatchObject({
        stdout: real.stdout,
        truncated: true,
        totalBytes: real.totalBytes,
      });
      expect((await run('red', { output: { stripAnsi: true } })).stdout).toBe('red\n');
    });
  });

  it('is refused with the option that is wrong', async () => {
    await fakes(async (shell) => {
      expect(() => shell.fake('a && b', 'x')).toThrow(
        "Invalid option 'match': expected a pattern of one command",
      );
      expect(() => shell.fake('a', { exit: 1 } as never)).toThrow("Invalid option 'answers[0]'");
      expect(() => shell.fake('a', { chunks: [['x']] } as never)).toThrow(
        "Invalid option 'answers[0].chunks'",
      );
      expect(() => shell.fake('a', { at: -1 })).toThrow("Invalid option 'answers[0].at'");
      expect(() => shell.fake('a')).toThrow("Invalid option 'answers'");
    });
  });
});

describe('the time of fakes', () => {
  it('passes without a wait, and in order', async () => {
    await fakes(async (shell) => {
      shell.fake('npm ci', faults.hang('fetching\n'));
      const start = performance.now();
      const result = await run('npm ci', { timeout: 60_000 });
      expect(result).toMatchObject({
        status: 'timeout',
        signal: 'SIGTERM',
        stdout: 'fetching\n',
        durationMs: 60_000,
      });
      expect(performance.now() - start).toBeLessThan(5_000);
    });
  });

  it('ends a wait that is shorter than the command', async () => {
    await fakes(async (shell) => {
      shell.fake('build', { chunks: [[5_000, 'stdout', 'done']] });
      await using jobs = new Jobs();
      const { id } = jobs.start('build');
      expect((await jobs.wait(id, { timeout: 1_000 })).status).toBe('timeout');
      expect((await jobs.wait(id, { timeout: 10_000 })).status).toBe('done');
    });
  });

  it('is watched for silence', async () => {
    await fakes(async (shell) => {
      shell.fake('slow', faults.slow('a\nb\nc\n', 400));
      expect(await run('slow', { idleTimeout: 500 })).toMatchObject({
        status: 'exited',
        stdout: 'a\nb\nc\n',
      });
      expect(await run('slow', { idleTimeout: 300 })).toMatchObject({ status: 'idleTimeout', stdout: 'a\n' });
    });
  });

  it('moves a command to the background', async () => {
    await fakes(async (shell) => {
      shell.fake('serve', { chunks: [[0, 'stdout', 'up\n']], at: 90_000 });
      await using jobs = new Jobs();
      const first = await run('serve', { timeout: 1_000, onTimeout: 'background', jobs });
      expect(first).toMatchObject({ status: 'background', stdout: 'up\n' });
      expect((await jobs.get(first.jobId ?? '')?.result)?.status).toBe('exited');
    });
  });
});

/** A fault, and a real command with the same end. */
const PAIRS: [string, ReturnType<typeof faults.hang>, string | string[], object][] = [
  ['hang', faults.hang('up\n'), 'echo up; sleep 60', { timeout: 200 }],
  [
    'hang, and another signal',
    faults.hang('up\n'),
    'echo up; sleep 60',
    { timeout: 200, killSignal: 'SIGINT' },
  ],
  ['signal', faults.signal('SIGKILL'), 'kill -KILL $$', {}],
  ['spawnError', faults.spawnError('ENOENT'), ['no-such-program-here'], { env: { PATH: '/usr/bin:/bin' } }],
  [
    'flood',
    faults.flood(3_000_000),
    'yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | head -c 3000000',
    {},
  ],
];

describe('a fault', () => {
  it.each(PAIRS)('gives what the real thing gives: %s', async (_, fault, command, options) => {
    const plain = ({
      command: __,
      durationMs: ___,
      pid,
      processGroup: ____,
      usage: _____,
      ...rest
    }: Awaited<ReturnType<typeof run>>) => ({
      ...rest,
      hasPid: pid !== null,
    });
    const real = await run(command as string, options);
    await fakes(async (shell) => {
      shell.fake(() => true, fault);
      expect(plain(await run(command as string, options))).toEqual(plain(real));
    });
  });

  it('is the loss of a target, and a denial', async () => {
    await fakes(async (shell) => {
      shell.fake('a', faults.targetLost());
      shell.fake('b', faults.denied('not today'));
      expect(await run('a')).toMatchObject({ status: 'failed', error: { code: 'TARGET_LOST' } });
      expect(await run('b')).toMatchObject({
        status: 'denied',
        error: { code: 'DENIED', message: 'not today' },
      });
    });
  });

  it('ends by an abort and by kill()', async () => {
    await fakes(async (shell) => {
      shell.fake('hang', faults.hang());
      const stop = new AbortController();
      const aborted = run('hang', { signal: stop.signal });
      stop.abort();
      expect((await aborted).status).toBe('aborted');
      await using jobs = new Jobs();
      const job = jobs.start('hang');
      job.kill('SIGINT');
      expect(await job.result).toMatchObject({ status: 'signaled', signal: 'SIGINT' });
    });
  });
});
