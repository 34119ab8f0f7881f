import { describe, expect, it } from 'vitest';
import { SHELLS, session } from './support.js';

describe.each(SHELLS)('a command in a session of %s', (shell) => {
  it('has its own streams and status', async () => {
    const shellSession = session({ shell });
    const result = await shellSession.run('echo out; echo err >&2; (exit 5)');
    expect(result).toMatchObject({
      status: 'exited',
      exitCode: 5,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(result).toMatchObject({
      pid: shellSession.pid,
      backgroundPids: [],
      shellEnded: false,
      restarted: false,
    });
    expect(await shellSession.run('true')).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
  });

  it('has 128 and the number of the signal by which a program died', async () => {
    expect(await session({ shell }).run('sh -c "kill -KILL \\$\\$"')).toMatchObject({
      status: 'exited',
      exitCode: 137,
      signal: null,
    });
  });

  it('has both streams as one in the order of writing with merge', async () => {
    const shellSession = session({ shell });
    const { stdout, stderr } = await shellSession.run('echo 1; echo 2 >&2; echo 3', {
      output: { merge: true },
    });
    expect({ stdout, stderr }).toEqual({ stdout: '1\n2\n3\n', stderr: '' });
  });

  it('has ten megabytes', async () => {
    const { totalBytes, truncated } = await session({ shell }).run('head -c 10000000 /dev/zero');
    expect({ totalBytes, truncated }).toEqual({
      totalBytes: { stdout: 10_000_000, stderr: 0 },
      truncated: true,
    });
  });

  it('may be a megabyte long', async () => {
    const { stdout } = await session({ shell }).run(`: ${'x'.repeat(1_000_000)}\necho end`);
    expect(stdout).toBe('end\n');
  });

  it('reads its input, and the next one does not', async () => {
    const shellSession = session({ shell });
    expect(await shellSession.run('read line; echo "$line"', { input: 'one\ntwo\n' })).toMatchObject({
      stdout: 'one\n',
    });
    expect(await shellSession.run('cat')).toMatchObject({ stdout: '' });
    const input = 'x'.repeat(3_000_000);
    expect(await shellSession.run('wc -c', { input })).toMatchObject({
      stdout: expect.stringMatching(/^\s*3000000\n$/),
    });
  });

  it('is written to as a job', async () => {
    const job = session({ shell }).start('while read line; do echo "got $line"; done', { stdin: 'pipe' });
    const received: string[] = [];
    job.on('data', (text) => received.push(text));
    job.write('one\n');
    job.write('two\n');
    job.end();
    expect(await job.result).toMatchObject({ status: 'exited', stdout: 'got one\ngot two\n' });
    expect(received.join('')).toBe('got one\ngot two\n');
  });

  it('names what it leaves in the background, once', async () => {
    const shellSession = session({ shell });
    const { backgroundPids } = await shellSession.run('sleep 100 >/dev/null 2>&1 &');
    expect(backgroundPids).toHaveLength(1);
    expect(await shellSession.run('true')).toMatchObject({ backgroundPids: [] });
  });

  it('gets no output of the background processes of an earlier one', async () => {
    const shellSession = session({ shell });
    await shellSession.run('(while :; do echo flood; done) &', { drain: { idle: 0, max: 0 } });
    for (let count = 0; count < 50; count++) {
      expect(await shellSession.run(`echo ${count}`)).toMatchObject({ stdout: `${count}\n`, stderr: '' });
    }
  });

  it('reports the resources that its processes used', async () => {
    const { usage } = await session({ shell }).run('i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done');
    expect((usage?.userMs ?? 0) + (usage?.systemMs ?? 0)).toBeGreaterThan(0);
  });

  it('rejects with reject', async () => {
    await expect(session({ shell }).run('exit 3', { reject: true })).rejects.toMatchObject({
      name: 'CommandError',
      result: { exitCode: 3, shellEnded: true },
    });
  });
});
