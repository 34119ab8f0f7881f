import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, run } from '../../../index.js';
import { otherSystem, REASON, reasonOf, SHELLS } from './other-system.js';

const MISSING = ['signal', 'daemons', 'stdin', 'pty', 'limits', 'usage', 'background', 'backpressure'];

describe.skipIf(process.platform !== 'linux')('a command without a helper', { timeout: 120_000 }, () => {
  it.each(SHELLS)('has its output and exit code, and says what it lacks, by %s', async (_, shell) => {
    const { target, transports } = otherSystem({ shell });
    const first = await run('echo out; echo err >&2; exit 7', { target });
    expect(first).toMatchObject({ status: 'exited', exitCode: 7, signal: null, error: null, usage: null });
    expect([first.stdout, first.stderr]).toEqual(['out\n', 'err\n']);
    expect(first.target).toMatchObject({
      kind: 'exec',
      supervisor: 'sh',
      reason: reasonOf(shell),
      skewMs: null,
    });
    expect(first.target?.missing).toEqual(MISSING);
    expect(first.target?.connectMs).toBeGreaterThan(0);
    // One for the handshake, which is not repeated, and one for each command.
    expect(transports()).toBe(2);
    expect((await run('true', { target })).target?.supervisor).toBe('sh');
    expect(transports()).toBe(3);
  });

  it.each(SHELLS)('has no pipe as its standard input, by %s', async (_, shell) => {
    const { target } = otherSystem({ shell });
    expect((await run('readlink /proc/$$/fd/0; wc -c', { target })).stdout).toBe('/dev/null\n0\n');
  });

  it.each(SHELLS)('passes every byte on, by %s', async (_, shell) => {
    const { target } = otherSystem({ shell });
    const odd = 'a\'b"c`d$(e)\\f\n\n g\tä€*?{1,2}~!#%';
    const words = await run(['printf', '%s|', odd, '', '-n', odd], { target });
    expect(words.stdout).toBe(`${odd}||-n|${odd}|`);
    const line = await run('printf %s "$ODD"; printf "\\377\\200\\0"', {
      target,
      env: { ODD: odd },
      encoding: 'buffer',
    });
    expect(Buffer.from(line.stdout)).toEqual(Buffer.concat([Buffer.from(odd), Buffer.from([255, 128, 0])]));
    const input = Buffer.from(Array.from({ length: 300_000 }, (__, index) => (index * 7) % 256));
    const copy = await run('cat', { target, input, encoding: 'buffer' });
    expect(Buffer.from(copy.stdout).equals(input)).toBe(true);
    const long = `: '${'x'.repeat(64 * 1024)}'; echo ${'y'.repeat(1000)}`;
    expect((await run(long, { target })).stdout).toBe(`${'y'.repeat(1000)}\n`);
  });

  it.each(SHELLS)('has all exit codes, and 128 and more for signals, by %s', async (_, shell) => {
    const { target } = otherSystem({ shell });
    const codes = shell.includes('dash')
      ? Array.from({ length: 256 }, (__, code) => code)
      : [1, 126, 127, 128, 255];
    const results = await Promise.all(codes.map((code) => run(`exit ${code}`, { target })));
    expect(results.map(({ exitCode }) => exitCode)).toEqual(codes);
    const killed = await Promise.all([9, 15, 11].map((signal) => run(`kill -${signal} $$`, { target })));
    expect(killed.map(({ exitCode, signal, stderr }) => [exitCode, signal, stderr])).toEqual([
      [137, null, ''],
      [143, null, ''],
      [139, null, ''],
    ]);
  });

  it('has 10 MB of each output, of which no byte is a report', async () => {
    const { target } = otherSystem();
    const line = 'seq 1 1400000 & seq 1 1400000 >&2; wait';
    const result = await run(line, { target, output: { maxBytes: 20_000_000 } });
    const whole = Array.from({ length: 1_400_000 }, (_, index) => `${index + 1}\n`).join('');
    expect(result.stdout === whole).toBe(true);
    expect(result.stderr === whole).toBe(true);
  });

  it('has its output whole when the stream is split at every byte', async () => {
    const line = '"$@" > >(dd bs=1 2>/dev/null) 2> >(dd bs=1 >&2 2>/dev/null)';
    const { target } = otherSystem({ line });
    const result = await run('echo out; printf err >&2; (sleep 0.3; echo late >&2) & exit 5', {
      target,
      drain: { idle: 20_000, max: 20_000 },
    });
    expect(result).toMatchObject({ exitCode: 5, stdout: 'out\n', stderr: 'errlate\n' });
  });

  it('has what login shells and transports print neither in its output nor in its errors', async () => {
    const { target } = otherSystem({ line: 'echo Welcome; echo "Warning: x" >&2; exec "$@"' });
    expect(await run('echo out', { target })).toMatchObject({ stdout: 'out\n', stderr: '' });
  });

  it('has one stream for both outputs', async () => {
    const { target } = otherSystem();
    const result = await run('echo 1; echo 2 >&2; echo 3', { target, output: { merge: true } });
    expect(result.stdout).toBe('1\n2\n3\n');
  });

  it.each(SHELLS)('gets the variables of env alone, by %s', async (_, shell) => {
    const { target } = otherSystem({ shell });
    const env = { GIVEN: 'yes', HOME: undefined };
    const line = 'echo "$GIVEN ${PATH:+path} ${HOME:-gone} ${VITEST:-none} ${agent_bash-clean}"';
    expect((await run(line, { target, env })).stdout).toBe('yes path gone none clean\n');
    const bare = await run(['/usr/bin/env'], { target, env: { ONLY: '1' }, extendEnv: false });
    // Some shells set these for every program.
    const lines = bare.stdout.split('\n').filter((text) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(text));
    expect(lines).toEqual(['ONLY=1', '']);
  });

  it.each(SHELLS)('runs in a directory there, below a root there, by %s', async (_, shell) => {
    const { home, target } = otherSystem({ shell });
    const odd = join(home, "a 'b\n");
    mkdirSync(odd);
    mkdirSync(join(home, "a 'b"));
    expect((await run('pwd; echo x', { target, cwd: odd })).stdout).toBe(`${odd}\nx\n`);
    expect((await run('pwd', { target, root: '/usr', cwd: 'bin/..' })).stdout).toBe('/usr\n');
    expect((await run('pwd', { target, root: '/', cwd: '/usr' })).cwd).toBe('/usr');
    const codes = [
      { root: '/usr', cwd: '/' },
      { root: join(home, "a 'b"), cwd: odd },
      { cwd: '/nowhere' },
      { cwd: '/etc/passwd' },
      { root: '/nowhere', cwd: '/usr' },
    ].map(async (options) => (await run('pwd', { target, ...options })).error?.code);
    expect(await Promise.all(codes)).toEqual([
      'CWD_OUTSIDE',
      'CWD_OUTSIDE',
      'CWD_MISSING',
      'CWD_NOT_DIRECTORY',
      'ROOT_MISSING',
    ]);
  });

  it.each(SHELLS)('does not start a program that does not exist, by %s', async (_, shell) => {
    const { target } = otherSystem({ shell });
    const missing = await run(['no-such-program'], { target });
    expect(missing).toMatchObject({ status: 'failed', pid: null, error: { code: 'ENOENT' } });
    const denied = await run(['/etc/passwd'], { target });
    expect(denied).toMatchObject({ status: 'failed', pid: null, error: { code: 'EACCES' } });
    const huge = await run(`: ${'x'.repeat(140_000)}`, { target });
    expect(huge.error?.code).toBe('E2BIG');
  });

  it('is refused with an option that needs the helper, before anything runs', async () => {
    const { home, target, transports } = otherSystem();
    await run('true', { target });
    const before = transports();
    const jobs = new Jobs();
    const line = `echo ran >'${home}/ran'`;
    const results = await Promise.all([
      jobs.start(line, { target, pty: true }).result,
      jobs.start(line, { target, stdin: 'pipe' }).result,
      run(line, { target, limits: { openFiles: 100 } }),
      run(line, { target, background: 'adopt', jobs }),
    ]);
    expect(results.map(({ status, error }) => [status, error])).toEqual(
      ['pty', 'stdin', 'limits', 'background'].map((option) => [
        'failed',
        {
          code: 'TARGET_DEGRADED',
          message: `The option '${option}' is not available on this target. ${REASON}`,
        },
      ]),
    );
    expect(transports()).toBe(before);
    expect(readdirSync(home)).not.toContain('ran');
    await jobs.dispose();
  });

  it('fails where a helper is required', async () => {
    const { options } = otherSystem();
    const result = await run('true', { target: { ...options, helper: 'require' } });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'TARGET_PLATFORM', message: REASON } });
    await expect(run('true', { target: { ...options, helper: 'maybe' } as never })).rejects.toThrow('`auto`');
  });

  it('is what a probe finds', async () => {
    const { target } = otherSystem();
    const report = await target.probe();
    expect(report).toMatchObject({ ok: true, supervisor: 'sh', reason: REASON, copied: 0, missing: MISSING });
    expect(report.shells.length).toBeGreaterThan(0);
    expect(report.nextMs).toBeGreaterThan(0);
  });
});
