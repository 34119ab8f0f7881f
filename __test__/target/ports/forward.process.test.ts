import { lookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { until } from '../../support/processes.mjs';
import { nothingFor, unchangedFor } from '../../support/waits.mjs';
import { client, closing, echoServer, exchange, flood, newTarget, serverOf, textOf } from './sockets.js';

describe.skipIf(process.platform !== 'linux')('a port that is forwarded', () => {
  it('reaches a server there', async () => {
    const port = await newTarget().forward(await echoServer());
    expect(port.host).toBe('127.0.0.1');
    expect(await exchange(port.port, 'hello')).toBe('hello');
    await until(() => port.connections === 0, 'no connection is open');
  });

  it('carries large bodies unchanged', async () => {
    const text = Array.from({ length: 300_000 }, (_, number) => `${number}\n`).join('');
    const port = await newTarget().forward(await echoServer());
    expect(await exchange(port.port, text)).toBe(text);
  });

  it('carries the end of each direction by itself', async () => {
    const target = newTarget();
    const texts: string[] = [];
    const server = await serverOf((socket) => {
      socket.end('first');
      textOf(socket).then((text) => texts.push(text));
    });
    const early = await target.forward(server);
    const socket = client(early.port);
    expect(await textOf(socket)).toBe('first');
    socket.end('later');
    await until(() => early.connections === 0, 'both directions have ended');
    expect(texts).toEqual(['later']);
  });

  it('resets a connection here where nothing listens there', async () => {
    const port = await newTarget().forward(1);
    expect(await closing(client(port.port))).toBe('ECONNRESET');
  });

  it('resets a connection here when it is reset there', async () => {
    const port = await newTarget().forward(await serverOf((socket) => socket.resetAndDestroy()));
    const socket = client(port.port);
    socket.write('x');
    expect(await closing(socket)).toBe('ECONNRESET');
  });

  it('resets a connection there when it is reset here', async () => {
    const events: (string | null)[] = [];
    const served = (socket: Socket) => {
      socket.once('data', () => events.push('data'));
      closing(socket).then((end) => events.push(end));
    };
    const socket = client((await newTarget().forward(await serverOf(served))).port);
    socket.write('x');
    await until(() => events.length === 1, 'it has arrived there');
    socket.resetAndDestroy();
    await until(() => events.length === 2, 'the connection there has ended');
    expect(events).toEqual(['data', 'ECONNRESET']);
  });

  it('notices the reset of a connection that has ended here before', async () => {
    const port = await newTarget().forward(
      await serverOf((socket) => {
        socket.on('end', () => socket.write('unread')).resume();
      }),
    );
    const socket = client(port.port).pause();
    socket.end('all');
    await until(() => port.connections === 1, 'it is open');
    // Bytes that arrive at a closed socket, or that nobody has read, reset the connection.
    socket.destroy();
    await until(() => port.connections === 0, 'the connection has ended');
  });

  it('reaches a UNIX socket there', async () => {
    const path = join(temporaryDirectory(), 'socket');
    await echoServer(path);
    const port = await newTarget().forward(path);
    expect(await exchange(port.port, 'hello')).toBe('hello');
  });

  it('reaches ::1 there if 127.0.0.1 has no server', async (context) => {
    const server = createServer((socket) => socket.end('six'));
    const failure = new Promise<Error>((resolve) => server.once('error', resolve));
    const listening = new Promise<null>((resolve) => server.listen(0, '::1', () => resolve(null)));
    if ((await Promise.race([failure, listening])) !== null) return context.skip();
    const { port: there } = server.address() as { port: number };
    const port = await newTarget().forward(there);
    expect(await exchange(port.port, '')).toBe('six');
    server.close();
    return undefined;
  });

  it('reaches another host by its name there', async (context) => {
    const address = await lookup(hostname(), 4).catch(() => null);
    if (address === null) return context.skip();
    const server = createServer((socket) => socket.end('named'));
    await new Promise<void>((resolve) => server.listen(0, address.address, resolve));
    const { port: there } = server.address() as { port: number };
    const port = await newTarget().forward(there, { host: hostname() });
    // Connections that wait for the same lookup share it.
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(port.port, '')));
    expect(new Set(answers)).toEqual(new Set(['named']));
    server.close();
    return undefined;
  });

  it('resets a connection to a name that does not exist', async () => {
    const port = await newTarget().forward(80, { host: 'nowhere.invalid' });
    expect(await closing(client(port.port))).toBe('ECONNRESET');
  });

  it('keeps the connection of its target open without a command', async () => {
    const target = newTarget({ idle: 50, heartbeat: { interval: 50, deadline: 10_000 } });
    const port = await target.forward(await echoServer());
    await nothingFor(300);
    expect(target.state).toBe('open');
    expect(await exchange(port.port, 'hello')).toBe('hello');
    await port.close();
    await until(() => target.state === 'new', 'the connection ends when it is idle');
  });

  it('slows down for a peer that never reads, and not for others', async () => {
    const target = newTarget();
    const served: Socket[] = [];
    const endless = await target.forward(await serverOf((socket) => served.push(flood(socket))));
    for (let count = 0; count < 20; count++) client(endless.port);
    await until(() => served.length === 20, 'all are served');
    const sent = () => served.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
    expect(await unchangedFor(200, sent)).toBeGreaterThan(0);
    const echo = await target.forward(await echoServer());
    expect(await exchange(echo.port, 'hello')).toBe('hello');
    expect((await run('echo here', { target })).stdout).toBe('here\n');
  });

  it('does not block a command beside a flood', async () => {
    const target = newTarget();
    let taken = 0;
    const server = await serverOf((socket) => {
      socket.on('data', (chunk) => {
        taken += chunk.length;
        socket.write(chunk);
      });
    });
    const port = await target.forward(server);
    for (let count = 0; count < 8; count++) flood(client(port.port)).resume();
    await until(() => taken > 4_000_000, 'the flood flows');
    const before = taken;
    const { stdout } = await run('head -c 300000 /dev/zero | wc -c; echo end', { target });
    expect(stdout).toBe('300000\nend\n');
    await until(() => taken > before, 'the flood flows on');
  });

  it('leaves a command its limit of descriptors', async () => {
    const target = newTarget();
    const before = (await run('ulimit -Sn', { target })).stdout;
    const port = await target.forward(await echoServer());
    await exchange(port.port, 'hello');
    expect((await run('ulimit -Sn', { target })).stdout).toBe(before);
  });
});
