import { describe, expect, it, onTestFinished } from 'vitest';
import { Jobs } from '../../../index.js';
import { until } from '../../support/processes.mjs';
import { exchange, newTarget } from './sockets.js';

const server = (host: string) =>
  `require('net').createServer((socket) => socket.pipe(socket)).listen(0, '${host}')`;

function newJobs(): Jobs {
  const jobs = new Jobs();
  onTestFinished(() => jobs.dispose());
  return jobs;
}

describe.skipIf(process.platform !== 'linux')('a job on a target', () => {
  it.each(['127.0.0.1', '0.0.0.0', '127.1.2.3'])(
    'is ready when it listens, and its port is here: %s',
    async (host) => {
      const job = newJobs().start([process.execPath, '-e', server(host)], { target: newTarget() });
      const { status, ports } = await job.ready({ port: true, forward: true });
      expect(status).toBe('ready');
      expect(ports).toHaveLength(1);
      expect(ports[0]).toMatchObject({ address: host, pid: job.pid });
      const { local } = ports[0];
      expect(local?.host).toBe('127.0.0.1');
      expect(await exchange(local?.port ?? 0, 'hello')).toBe('hello');
      job.kill();
      expect(await local?.closed).toBeNull();
    },
  );

  it('is ready when a process that it has started listens, or its output matches', async () => {
    const target = newTarget();
    const jobs = newJobs();
    const script = `setsid "$0" -e "$1" & sleep 0.1; echo started; wait`;
    const job = jobs.start(['sh', '-c', script, process.execPath, server('127.0.0.1')], { target });
    const { status, ports, match } = await job.ready({ port: true, pattern: 'started' });
    expect({ status, match }).toEqual({ status: 'ready', match: ['started'] });
    expect(ports[0]).not.toHaveProperty('local');
    expect(ports[0]?.pid).not.toBe(job.pid);
    const other = jobs.start('exit 0', { target });
    expect((await other.ready({ port: true })).status).toBe('exited');
  });

  it('keeps no connection of its target open when it has ended', async () => {
    const target = newTarget({ idle: 50, heartbeat: { interval: 50, deadline: 10_000 } });
    const job = newJobs().start([process.execPath, '-e', server('127.0.0.1')], { target });
    await job.ready({ port: true, forward: true });
    job.kill();
    await until(() => target.state === 'new', 'the connection has ended');
  });
});

describe('the option forward of ready()', () => {
  it('needs a target and a port', async () => {
    const jobs = newJobs();
    const job = jobs.start('sleep 10');
    await expect(job.ready({ port: true, forward: true })).rejects.toThrow("'options.forward'");
    await expect(job.ready({ pattern: 'x', forward: true })).rejects.toThrow("'options.forward'");
    await expect(job.ready({ port: true, forward: 1 as never })).rejects.toThrow("'options.forward'");
  });
});
