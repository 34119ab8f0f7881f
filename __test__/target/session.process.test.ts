import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type SessionOptions, type SessionResult, ShellSession, Target } from '../../index.js';
import { SHELLS } from '../session/support.js';
import { living, parentOf, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { shellTarget } from './shell-target.js';

/** A session on a target, both of which end with the test. */
function sessionThere(options: SessionOptions = {}): ShellSession {
  const target = options.target ?? new Target(shellTarget().options);
  const session = new ShellSession({ ...options, target });
  onTestFinished(async () => {
    await session.close();
    if (target instanceof Target) await target.dispose();
  });
  return session;
}

/** The pid of the supervisor of a shell there: the parent of its reaper. */
function supervisorOf({ pid }: SessionResult): number {
  return parentOf(parentOf(pid ?? 0));
}

/** The private directory of a shell there, which its open streams show. */
const DIRECTORY = 'd=$(readlink /proc/$$/fd/1); echo "${d%/o}"';

describe.skipIf(process.platform !== 'linux')('a session on a target', () => {
  for (const shell of SHELLS) {
    it(`keeps the state of ${shell}`, async () => {
      const session = sessionThere({ shell });
      const first = await session.run('cd /usr; a=1; echo out; echo err >&2; false');
      expect(first).toMatchObject({ status: 'exited', exitCode: 1, stdout: 'out\n', stderr: 'err\n' });
      expect([first.cwd, first.target?.kind, first.target?.connectMs]).toEqual([
        '/usr',
        'exec',
        expect.any(Number),
      ]);
      const second = await session.run('echo $? $a; pwd');
      expect(second).toMatchObject({ stdout: '1 1\n/usr\n', pid: first.pid });
      expect(second.target?.connectMs).toBeNull();
    });

    it(`ends a list of ${shell} at a timeout, and keeps its state`, async () => {
      const session = sessionThere({ shell });
      const seconds = tag();
      await session.run('a=1');
      const result = await session.run(`sleep ${seconds}; echo not`, { timeout: 300 });
      expect(result).toMatchObject({ status: 'timeout', stdout: '', shellEnded: false });
      expect(living(seconds)).toEqual([]);
      expect((await session.run('echo $a')).stdout).toBe('1\n');
    });

    it(`starts ${shell} again after it has ended`, async () => {
      const session = sessionThere({ shell });
      expect(await session.run('a=1; exit 3')).toMatchObject({ exitCode: 3, shellEnded: true });
      expect(await session.run('echo ${a-none}')).toMatchObject({ stdout: 'none\n', restarted: true });
    });
  }

  it('has the usual shell there by default', async () => {
    expect((await sessionThere().run('echo ${BASH_VERSION:+bash}')).stdout).toBe('bash\n');
  });

  it('reads its input and its end', async () => {
    const session = sessionThere();
    expect((await session.run('cat', { input: 'some\ntext' })).stdout).toBe('some\ntext');
    const job = session.start('read a; echo "got $a"; cat', { stdin: 'pipe' });
    await job.write('one\n');
    await job.write('two');
    job.end();
    expect((await job.result).stdout).toBe('got one\ntwo');
    const input = 'x'.repeat(3_000_000);
    expect((await session.run('wc -c', { input })).stdout.trim()).toBe('3000000');
  });

  it('gets no output of the background processes of an earlier command', async () => {
    const session = sessionThere();
    const first = await session.run('(while :; do echo late; sleep 0.01; done) & echo first');
    expect(first.backgroundPids.length).toBeGreaterThan(0);
    for (let count = 0; count < 20; count++) expect((await session.run('echo next')).stdout).toBe('next\n');
    await session.run(`kill ${first.backgroundPids.join(' ')}`);
  });

  it('has all output of a command, in order and unchanged', async () => {
    const session = sessionThere();
    const { stdout } = await session.run('seq 1 300000', { output: { maxBytes: 8_000_000 } });
    expect(stdout).toBe(`${Array.from({ length: 300_000 }, (_, index) => index + 1).join('\n')}\n`);
  });

  it('runs a command of a megabyte', async () => {
    const line = `: ${'x'.repeat(1_200_000)}; echo done`;
    expect((await sessionThere().run(line)).stdout).toBe('done\n');
  });

  it('reports the statuses of a pipeline', async () => {
    const result = await sessionThere().run('true | false | true', { pipeStatus: true });
    expect(result.pipeStatus).toEqual([0, 1, 0]);
  });

  it('is interrupted as at a terminal', async () => {
    const session = sessionThere();
    const running = session.start('sh -c "echo begun; exec sleep 60"; echo not');
    // A program runs by then: a signal between two commands of a list ends neither.
    await once(running, 'data');
    expect(session.interrupt()).toBe(true);
    expect(await running.result).toMatchObject({ exitCode: 130, shellEnded: false });
  });

  it('works on after its files were removed between commands and within one', async () => {
    const session = sessionThere();
    const { stdout } = await session.run(DIRECTORY);
    await session.run(`rm -rf ${stdout.trim()}; a=1`);
    expect((await session.run('echo $a')).stdout).toBe('1\n');
  });

  it('leaves neither processes nor files there', async () => {
    const seconds = tag();
    const session = sessionThere();
    const { stdout } = await session.run(`sleep ${seconds} & ${DIRECTORY}`);
    expect(existsSync(stdout.trim())).toBe(true);
    await session.close();
    await until(() => !existsSync(stdout.trim()), 'the directory is gone');
    expect(living(seconds)).toEqual([]);
  });

  it('reports that its target was lost, and runs the next command on a new connection', async () => {
    const session = sessionThere();
    const seconds = tag();
    const first = await session.run(`a=1; ${DIRECTORY}`);
    const running = session.run(`sleep ${seconds}`);
    await until(() => living(seconds).length > 0, 'the command runs');
    process.kill(supervisorOf(first), 'SIGKILL');
    const lost = await running;
    expect(lost).toMatchObject({ status: 'failed', shellEnded: true });
    expect(lost.error?.code).toBe('SESSION_LOST');
    expect(await session.run('echo ${a-none}')).toMatchObject({ stdout: 'none\n', restarted: true });
    await until(
      () => living(seconds).length === 0 && !existsSync(first.stdout.trim()),
      'nothing is left there',
    );
  });

  it('starts in a directory there, and again after restart()', async () => {
    const session = sessionThere({ cwd: '/usr', root: '/usr' });
    expect((await session.run('pwd; cd /')).stdout).toBe('/usr\n');
    await session.restart({ cwd: 'bin' });
    expect((await session.run('pwd')).stdout).toBe('/usr/bin\n');
    await session.restart();
    expect((await session.run('pwd')).stdout).toBe('/usr\n');
  });

  it('ends a target that was given as options', async () => {
    const { home, options } = shellTarget();
    const session = sessionThere({ target: options });
    const first = await session.run('echo "$HOME"');
    expect(first.stdout).toBe(`${home}\n`);
    const supervisor = supervisorOf(first);
    await session.close();
    expect(existsSync(`/proc/${supervisor}`)).toBe(false);
    expect(readdirSync(`${home}/tmp`)).toEqual([]);
  });

  it('reports a target that can not be reached', async () => {
    const result = await sessionThere({ target: { exec: ['/nowhere/transport'] } }).run('true');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'TARGET_START' } });
  });

  it('does not keep a state without a shell', () => {
    const options = { target: { exec: ['sh'] }, keep: 'state' } as const;
    expect(() => new ShellSession(options)).toThrow("Invalid option 'options.keep'");
  });
});
