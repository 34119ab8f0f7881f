import { describe, expect, it } from 'vitest';
import { BashJob, Jobs } from '../../index.js';

/** A server at a port that the system chooses, which tells when it listens. */
const SERVER =
  "const server = require('http').createServer().listen(0, '127.0.0.1', () => console.log('port', server.address().port))";
const NODE = [process.execPath, '-e', SERVER];

describe.skipIf(process.platform !== 'linux')('a job that is to listen', () => {
  it('is ready when it does', async () => {
    await using table = new Jobs();
    const job = table.start(NODE);
    const { status, ports, match } = await job.ready({ port: true });
    expect({ status, match }).toEqual({ status: 'ready', match: null });
    const report = await job.ready({ pattern: /port (\d+)/ });
    expect(ports).toEqual([
      { port: Number(report.match?.[1]), address: '127.0.0.1', pid: expect.any(Number) },
    ]);
  });

  it('is ready at once when it listens already', async () => {
    await using table = new Jobs();
    const job = table.start(NODE);
    const [{ ports }] = await Promise.all([job.ready({ port: true }), job.ready({ port: true })]);
    expect((await job.ready({ port: ports[0]?.port ?? 1 })).ports).toEqual(ports);
  });

  it('is not ready when another process listens on the port', async () => {
    await using table = new Jobs();
    const [stranger, job] = [table.start(NODE), table.start('sleep 1000')];
    const { ports } = await stranger.ready({ port: true });
    const { status } = await job.ready({ port: ports[0]?.port ?? 1, timeout: 200 });
    expect(status).toBe('timeout');
  });

  it('is ready when a daemon that it has left listens', { tags: ['python3'] }, async () => {
    await using table = new Jobs();
    const daemon = 'setsid sh -c "exec python3 -m http.server 0 >/dev/null 2>&1 </dev/null &"; sleep 1000';
    expect((await table.start(daemon).ready({ port: true })).ports).toHaveLength(1);
  });

  it('is ready for both when the port and the text are there', async () => {
    await using table = new Jobs();
    const job = table.start(`${NODE.slice(0, 2).join(' ')} "${SERVER}"`);
    const { ports, match } = await job.ready({ port: true, pattern: /port (\d+)/ });
    expect(String(ports[0]?.port)).toBe(match?.[1]);
  });
});

describe('a job that prints a text', () => {
  it('is ready after the text, as plain text', async () => {
    await using table = new Jobs();
    const job = table.start(
      "printf '\\033[32mLocal:\\033[0m http://localhost:\\033[1m8795\\033[0m/\\n'; sleep 1000",
    );
    const { status, match } = await job.ready({ pattern: /localhost:(\d+)/g });
    expect({ status, match }).toEqual({ status: 'ready', match: ['localhost:8795', '8795'] });
    expect((await job.ready({ pattern: 'Local: http' })).match).toEqual(['Local: http']);
  });

  it('is ready also when the line has not ended', async () => {
    await using table = new Jobs();
    const job = table.start("printf 'ready> '; sleep 1000");
    expect((await job.ready({ pattern: 'ready>' })).status).toBe('ready');
  });

  it('is ready after the text on standard error, or in a terminal', async () => {
    await using table = new Jobs();
    expect((await table.start('echo up >&2; sleep 1000').ready({ pattern: /^up$/ })).status).toBe('ready');
    expect((await table.start('echo up; sleep 1000', { pty: true }).ready({ pattern: /^up$/ })).status).toBe(
      'ready',
    );
  });

  it('is ready also where nothing is kept to be read', async () => {
    const job = new BashJob({ command: 'sleep 0.3; echo up; sleep 1000' }, '.');
    expect((await job.ready({ pattern: 'up' })).status).toBe('ready');
    job.kill();
    await job.result;
  });
});

describe('waiting for a job to be ready', () => {
  it('ends with the job', async () => {
    await using table = new Jobs();
    const job = table.start('echo over');
    expect(await job.ready({ pattern: 'up' })).toMatchObject({ status: 'exited', ports: [], match: null });
    // The search covers the output of a finished job.
    expect((await job.ready({ pattern: 'over' })).status).toBe('ready');
  });

  it('ends with its time or its signal, and the job goes on', async () => {
    await using table = new Jobs();
    const job = table.start('sleep 1000');
    expect((await job.ready({ pattern: 'up', timeout: 10 })).status).toBe('timeout');
    expect((await job.ready({ pattern: 'up', signal: AbortSignal.timeout(10) })).status).toBe('aborted');
    expect((await job.ready({ pattern: 'up', signal: AbortSignal.abort() })).status).toBe('aborted');
    expect(job.status).toBe('running');
  });

  it('needs something to wait for', async () => {
    await using table = new Jobs();
    const job = table.start('sleep 1000');
    await expect(job.ready({})).rejects.toThrow('a port, a pattern or both');
    await expect(job.ready({ port: 0 })).rejects.toThrow("'options.port'");
    await expect(job.ready({ pattern: '' })).rejects.toThrow("'options.pattern'");
  });
});
