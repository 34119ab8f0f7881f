import { describe, expect, it } from 'vitest';
import { isAlive, living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { durableDirectory, durableHost, durableJobs } from './support.js';

const BOTH = 'for i in $(seq 1 2000); do echo out $i; echo err $i >&2; done';
const lines = (stream: string) =>
  Array.from({ length: 2_000 }, (_, index) => `${stream} ${index + 1}\n`).join('');

describe('a durable job whose host was killed', () => {
  it('is found by another process, which reads both streams exactly, writes to it and sees its end', async () => {
    const directory = durableDirectory();
    const command = `${BOTH}; echo ready; read -r text; echo "got $text"; exit 7`;
    const host = durableHost(
      directory,
      `const job = jobs.start(${JSON.stringify(command)}, { stdin: 'pipe' });
      job.on('data', () => {});
      await job.ready({ pattern: 'ready' });
      console.log('id ' + job.id);
      setInterval(() => {}, 1_000);`,
    );
    await host.printed('id ');
    host.process.kill('SIGKILL');
    await host.ended;
    const jobs = durableJobs(directory);
    const [found] = await jobs.find();
    expect(found).toMatchObject({ command, end: null, input: true });
    const job = await jobs.attach(found?.id as string, { since: 0 });
    const seen = { stdout: '', stderr: '' };
    job.on('data', (text, stream) => {
      seen[stream] += text;
    });
    expect(job.write('hello\n')).toBe(true);
    const { status, exitCode, durable, jobId } = await job.result;
    expect({ status, exitCode, jobId }).toEqual({ status: 'exited', exitCode: 7, jobId: job.id });
    expect(durable?.end).toMatchObject({ cause: 'exit', exitCode: 7, signal: null });
    expect(seen).toEqual({ stdout: `${lines('out')}ready\ngot hello\n`, stderr: lines('err') });
  });

  it('is killed with its whole tree by another process', async () => {
    const directory = durableDirectory();
    const seconds = tag();
    const host = durableHost(
      directory,
      `jobs.start('sleep ${seconds} & setsid sleep ${seconds} & wait');
      await until(() => living('sleep\\0' + '${seconds}').length === 2, 'both sleep');
      console.log('ready');
      setInterval(() => {}, 1_000);`,
    );
    await host.printed('ready');
    host.process.kill('SIGKILL');
    await host.ended;
    expect(living(`sleep\0${seconds}`)).toHaveLength(2);
    const jobs = durableJobs(directory);
    const [found] = await jobs.find({ running: true });
    const job = await jobs.attach(found?.id as string);
    job.kill();
    expect((await job.result).durable?.end).toMatchObject({ cause: 'kill', signal: 'SIGTERM' });
    await until(() => living(seconds).length === 0, 'none sleeps');
  });

  it('has ended when it is found later, and its output and exit code are there', async () => {
    const directory = durableDirectory();
    const host = durableHost(
      directory,
      `jobs.start('echo done; exit 4').once('spawn', () => process.exit());`,
    );
    await host.ended;
    const jobs = durableJobs(directory);
    const ended = () => jobs.find({ running: false });
    const [found] = await until(async () => ((await ended()).length > 0 ? ended() : false), 'it has ended');
    expect(found?.end).toMatchObject({ cause: 'exit', exitCode: 4 });
    const job = await jobs.attach(found?.id as string, { since: 0 });
    const { stdout, exitCode } = await job.result;
    expect({ stdout, exitCode }).toEqual({ stdout: 'done\n', exitCode: 4 });
    expect(jobs.read(job.id)).toMatchObject({ text: 'done\n', cursor: 5, dropped: 0 });
  });

  it('goes on with process.exit() and with the end of an unreferenced event loop', async () => {
    const directory = durableDirectory();
    const end = { exit: 'process.exit(0)', loop: 'job.unref()' };
    for (const act of Object.values(end)) {
      const host = durableHost(
        directory,
        `const job = jobs.start('sleep 100'); job.once('spawn', () => { console.log(job.pid); ${act}; });`,
      );
      const { code, stdout } = await host.ended;
      expect(code).toBe(0);
      expect(isAlive(Number(stdout))).toBe(true);
    }
  });
});

describe('ensure()', () => {
  it('starts a job once, whichever of eight processes is first', async () => {
    const directory = durableDirectory();
    const seconds = tag();
    const hosts = Array.from({ length: 8 }, () =>
      durableHost(
        directory,
        `const job = await jobs.ensure('dev', 'sleep ${seconds}');
        console.log(job.id + ' ' + job.status);
        await jobs.release();`,
      ),
    );
    const ends = await Promise.all(hosts.map((host) => host.ended));
    expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      Array(8).fill({ code: 0, stderr: '' }),
    );
    expect(new Set(ends.map(({ stdout }) => stdout)).size).toBe(1);
    expect(living(`sleep\0${seconds}`)).toHaveLength(1);
    expect(await durableJobs(directory).find()).toMatchObject([{ name: 'dev', command: `sleep ${seconds}` }]);
  });
});
