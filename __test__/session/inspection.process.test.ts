import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { nextWait } from '../support/jobs.js';
import { within } from '../support/slowness.mjs';
import { SHELLS, session } from './support.js';

const SERVER = `${process.execPath} -e "require('http').createServer().listen(0, '127.0.0.1', () => console.log('up'))"`;

describe.skipIf(process.platform !== 'linux').each(SHELLS)('a job of a session of %s', (shell) => {
  it('reports that the shell itself waits for a line, and continues after one', async () => {
    const job = session({ shell }).start('printf "Name: "; read name; echo "hello $name"', { stdin: 'pipe' });
    expect(await nextWait(job)).toMatchObject({ kind: 'pipe', how: 'read', prompt: 'Name: ', certain: true });
    job.write('you\n');
    expect(await job.result).toMatchObject({ stdout: 'Name: hello you\n', exitCode: 0 });
  });

  it('reports each wait of a program', async () => {
    const job = session({ shell }).start('cat; echo over', { stdin: 'pipe' });
    expect(await nextWait(job)).toMatchObject({ kind: 'pipe', program: 'cat' });
    const again = nextWait(job);
    job.write('x\n');
    expect(await again).toMatchObject({ program: 'cat' });
    job.end();
    expect(await job.result).toMatchObject({ stdout: 'x\nover\n' });
  });

  it('answers whether it waits', async () => {
    const shellSession = session({ shell });
    const sleeping = shellSession.start('echo begun; sleep 1000', { stdin: 'pipe' });
    await once(sleeping, 'data');
    expect(await sleeping.waiting()).toBeNull();
    sleeping.kill();
    const reading = shellSession.start('echo begun; cat', { stdin: 'pipe' });
    await once(reading, 'data');
    await expect.poll(() => reading.waiting(), { timeout: 8_000 }).toMatchObject({ program: 'cat' });
    reading.end();
    await reading.result;
  });

  it('is ended when it waits and onWaiting is kill, and the shell keeps its state', async () => {
    const shellSession = session({ shell });
    await shellSession.run('A=1');
    const killed = shellSession.start('read line; echo after', { stdin: 'pipe', onWaiting: 'kill' });
    expect(await killed.result).toMatchObject({
      status: 'timeout',
      error: { code: 'WAITING_FOR_INPUT' },
      stdout: '',
      shellEnded: false,
    });
    const ended = shellSession.start('read line; echo "[$line]$A"', { stdin: 'pipe', onWaiting: 'eof' });
    expect(await ended.result).toMatchObject({ status: 'exited', stdout: '[]1\n' });
  });

  it('is ready when it listens and has printed that', async () => {
    const job = session({ shell }).start(SERVER);
    const { status, ports, match } = await job.ready({ port: true, pattern: /up/, timeout: within(8_000) });
    expect({ status, match }).toMatchObject({ status: 'ready', match: ['up'] });
    expect(ports).toMatchObject([{ address: '127.0.0.1', port: expect.any(Number) }]);
    job.kill();
    expect(await job.result).toMatchObject({ shellEnded: false });
  });

  it('is not ready when another command of the session has listened before', async () => {
    const shellSession = session({ shell, cwd: temporaryDirectory() });
    await shellSession.run(`${SERVER} >up 2>&1 & while ! [ -s up ]; do sleep 0.01; done; rm up`);
    const job = shellSession.start('sleep 1000');
    expect((await job.ready({ port: true, timeout: 300 })).status).toBe('timeout');
    job.kill();
    await job.result;
  });
});
