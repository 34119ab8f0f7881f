import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Jobs, run } from '../../index.js';
import { BIN, type CommandLine, commandLine, CommandLine as Line } from '../cli/support.js';
import { until } from '../support/processes.mjs';
import { durableDirectory, durableJobs } from './support.js';

const line = (directory: string, ...args: string[]): CommandLine =>
  new Line(['jobs', ...args, '--directory', directory]);
const jobsLine = (directory: string, ...args: string[]) =>
  commandLine(['jobs', ...args, '--directory', directory]);

describe('agent-bash jobs', () => {
  it('lists what runs, and with --all what has ended', async () => {
    const directory = durableDirectory();
    expect((await jobsLine(directory)).stderr).toBe('No durable job runs; see --all.\n');
    const jobs = durableJobs(directory, { owner: 'me', root: '/tmp' });
    const ended = jobs.start('exit 3');
    await ended.result;
    const dev = await jobs.ensure('dev', 'sleep 100', { cwd: '/' });
    expect((await jobsLine(directory, 'list')).stdout).toMatch(
      new RegExp(`^${dev.id}  dev  runs \\(\\d s\\)\\n  sleep 100  in /\\n$`),
    );
    const { stdout } = await jobsLine(directory, '--all', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ id: ended.id, end: { exitCode: 3 } }, { id: dev.id }]);
  });

  it('reads the output that is kept, from an offset on, byte by byte', async () => {
    const directory = durableDirectory();
    const jobs = durableJobs(directory);
    const running = jobs.start('echo out; echo err >&2; sleep 100');
    await running.ready({ pattern: 'err' });
    expect(await jobsLine(directory, 'read', running.id)).toMatchObject({
      code: 0,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(await jobsLine(directory, 'read', running.id, '--since', '4')).toMatchObject({
      stdout: '',
      stderr: 'err\n',
    });
    const ended = jobs.start('printf "a\\377b"');
    await ended.result;
    const hex = await run(
      [
        'sh',
        '-c',
        '"$1" "$2" jobs read "$3" --directory "$4" | od -An -tx1',
        'sh',
        process.execPath,
        BIN,
        ended.id,
        directory,
      ],
      { env: { NODE_OPTIONS: '' } },
    );
    expect(hex.stdout.trim()).toBe('61 ff 62');
  });

  it('follows the output until the end, and waits with the exit code of the job', async () => {
    const directory = durableDirectory();
    const job = durableJobs(directory).start('echo one; read -r x; echo "$x"; exit 9', { stdin: 'pipe' });
    await job.ready({ pattern: 'one' });
    const follow = line(directory, 'read', job.id, '--follow');
    const wait = line(directory, 'wait', job.id);
    await until(() => follow.stdout === 'one\n', 'the first line');
    await until(() => (job.durable?.attached ?? 0) >= 1, 'it is attached');
    expect((await jobsLine(directory, 'write', job.id, 'two')).code).toBe(0);
    expect(await follow.ended).toMatchObject({ code: 0, stdout: 'one\ntwo\n' });
    expect((await wait.ended).code).toBe(9);
    expect((await jobsLine(directory, 'wait', job.id)).code).toBe(9);
    expect(await jobsLine(directory, 'write', job.id, 'three')).toMatchObject({
      code: 1,
      stderr: `agent-bash: the job ${job.id} ended: exit code 9\n`,
    });
  });

  it('passes input on to an attached job, and detaches at Ctrl-C', async () => {
    const directory = durableDirectory();
    const job = await durableJobs(directory).ensure('cat', 'cat', { stdin: 'pipe' });
    const attached = line(directory, 'attach', 'cat');
    attached.process.stdin?.write('hello\n');
    await until(() => attached.stdout === 'hello\n', 'the echo');
    attached.process.kill('SIGINT');
    expect(await attached.ended).toMatchObject({
      code: 0,
      stderr: 'agent-bash: detached; the job cat runs on\n',
    });
    expect(job.status).toBe('running');
  });

  it('shows the terminal of a job in a terminal, and detaches at Ctrl-]', async () => {
    const directory = durableDirectory();
    const job = durableJobs(directory).start('while read -r x; do echo "<$x>"; done', { pty: true });
    await once(job, 'spawn');
    const here = new Jobs();
    onTestFinished(() => here.dispose());
    const words = [process.execPath, BIN, 'jobs', 'attach', job.id, '--directory', directory];
    const person = here.start(words, { pty: { cols: 60, rows: 12 }, env: { NODE_OPTIONS: '' } });
    await until(() => (job.durable?.attached ?? 0) >= 1 && person.screen().alternate, 'the console');
    person.write('typed\r');
    await person.waitForScreen('<typed>');
    person.write('\x1d');
    const { exitCode, stdout } = await person.result;
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`detached; the job ${job.id} runs on`);
    expect(job.status).toBe('running');
  });

  it('kills one job or all, and says how they ended', async () => {
    const directory = durableDirectory();
    const jobs = durableJobs(directory);
    const [a, b] = await Promise.all([jobs.ensure('a', 'sleep 100'), jobs.ensure('b', 'sleep 100')]);
    expect((await jobsLine(directory, 'kill', 'a', '--signal', 'SIGINT')).stderr).toBe(
      `${a.id} ended: killed by SIGINT\n`,
    );
    expect((await jobsLine(directory, 'kill', '--all')).stderr).toBe(`${b.id} ended: killed by SIGTERM\n`);
    expect(await jobs.find({ running: true })).toEqual([]);
    expect((await jobsLine(directory, 'sweep')).stderr).toBe('Removed 0 ended jobs.\n');
  });

  it('delivers a signal that does not end programs', async () => {
    const directory = durableDirectory();
    const job = durableJobs(directory).start(
      'trap "echo usr1" USR1; echo ready; while :; do sleep 0.05; done',
    );
    await job.ready({ pattern: 'ready' });
    expect((await jobsLine(directory, 'kill', job.id, '--signal', 'SIGUSR1')).code).toBe(0);
    await job.ready({ pattern: 'usr1' });
    expect(job.status).toBe('running');
  });

  it.each([
    [['read', 'nope'], 1, "there is no durable job nope\nTry 'agent-bash explain DURABLE_NOT_FOUND'"],
    [['raed', 'x'], 2, "unknown action 'raed': expected one of list, read, attach"],
    [['read'], 2, 'jobs read needs ID'],
    [['write', 'x'], 2, 'jobs write needs ID TEXT'],
    [['list', 'x'], 2, "unexpected 'x'"],
    [['wait', 'x', '--json'], 2, 'jobs wait has no --json'],
    [['read', 'x', '--since', '-1'], 2, '--since'],
  ])('refuses %j', async (args, code, message) => {
    const end = await jobsLine(durableDirectory(), ...args);
    expect(end.code).toBe(code);
    expect(end.stderr).toContain(message);
  });
});
