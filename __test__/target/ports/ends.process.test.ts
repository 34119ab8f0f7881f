import { createServer } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { Target } from '../../../index.js';
import { until } from '../../support/processes.mjs';
import { tag } from '../../support/tag.js';
import { Place, PROMISED } from '../broken/place.js';
import { otherSystem } from '../degraded/other-system.js';
import {
  client,
  closing,
  descriptors,
  echoServer,
  exchange,
  exchangeByThousand,
  flood,
  isRefused,
  newTarget,
  serverOf,
} from './sockets.js';

describe.skipIf(process.platform !== 'linux')('the end of a port', () => {
  it('comes after a thousand connections at once, and leaves no descriptor', async () => {
    const target = newTarget();
    const server = await echoServer();
    const port = await target.forward(server);
    await exchange(port.port, 'first');
    const before = await until(() => (port.connections === 0 ? descriptors() : 0), 'the first is over');
    for (const socket of await exchangeByThousand(port)) socket.destroy();
    await until(() => descriptors() <= before, 'no descriptor is left');
  });

  it('resets what is open when it is closed, and is reported once', async () => {
    const port = await newTarget().forward(await echoServer());
    const open = client(port.port);
    await until(() => port.connections === 1, 'the connection is open');
    const reset = closing(open);
    await Promise.all([port.close(), port.close()]);
    expect(await reset).toBe('ECONNRESET');
    expect(await port.closed).toBeNull();
    expect(await isRefused(port.port)).toBe(true);
    expect(port.connections).toBe(0);
  });

  it('comes with its target, in the middle of a flood', async () => {
    const target = newTarget();
    const server = await serverOf((socket) => {
      socket.on('data', (chunk) => socket.write(chunk));
    });
    const port = await target.forward(server);
    const reverse = await target.reverse(server);
    const floods = [port, reverse].map(({ port }) => flood(client(port)).resume());
    await until(() => floods.every((socket) => socket.bytesRead > 1_000_000), 'both flow');
    const resets = floods.map(closing);
    await target.dispose();
    expect(await port.closed).toMatchObject({ code: 'TARGET_CLOSED' });
    expect(await reverse.closed).toMatchObject({ code: 'TARGET_CLOSED' });
    for (const reset of resets) expect(await reset).not.toBeNull();
    expect(await isRefused(port.port)).toBe(true);
    expect(await isRefused(reverse.port)).toBe(true);
  });

  it('comes with a lost connection, and says so', async () => {
    const place = new Place('/bin/sh');
    const target = place.target('"$there" "$@"');
    const port = await target.forward(await echoServer());
    const open = client(port.port);
    await until(() => port.connections === 1, 'the connection is open');
    const reset = closing(open);
    for (const pid of place.processes()) process.kill(pid, 'SIGKILL');
    expect(await port.closed).toMatchObject({ code: 'TARGET_LOST' });
    expect(await reset).toBe('ECONNRESET');
    expect(await isRefused(port.port)).toBe(true);
    // The next one connects again.
    const again = await target.forward(await echoServer());
    expect(await exchange(again.port, 'hello')).toBe('hello');
    await target.dispose();
    await place.expectNothing(tag());
  });

  it('comes with its worker', async () => {
    const place = new Place('/bin/sh');
    const server = await echoServer();
    const program = `
      const { parentPort } = require('node:worker_threads');
      const { Target } = require(${JSON.stringify(join(process.cwd(), 'index.js'))});
      const target = new Target({ exec: [${JSON.stringify(place.transport('"$there" "$@"'))}] });
      Promise.all([target.forward(${server}), target.reverse(${server})])
        .then((ports) => parentPort.postMessage(ports.map(({ port }) => port)));
    `;
    const worker = new Worker(program, { eval: true });
    const ports: number[] = await new Promise((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
    });
    expect(await exchange(ports[0] ?? 0, 'hello')).toBe('hello');
    await worker.terminate();
    for (const port of ports) await until(() => isRefused(port), 'nothing listens', PROMISED);
    await place.expectNothing(tag());
  });

  it('comes with its signal', async () => {
    const target = newTarget();
    const controller = new AbortController();
    const port = await target.forward(await echoServer(), { signal: controller.signal });
    controller.abort();
    expect(await port.closed).toBeNull();
    const late = target.forward(1, { signal: controller.signal });
    await expect(late).rejects.toBe(controller.signal.reason);
    const silent = new Target({ exec: ['sh', '-c', 'sleep 100', 'x'] });
    const early = silent.forward(1, { signal: AbortSignal.timeout(100) });
    await expect(early).rejects.toMatchObject({ name: 'TimeoutError' });
    await silent.dispose();
  });
});

describe.skipIf(process.platform !== 'linux')('a port that can not be opened', () => {
  it('has the code of the system, and names the option', async () => {
    const target = newTarget();
    const taken = await echoServer();
    await expect(target.forward(1, { local: taken })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `options.local: can't listen on 127.0.0.1:${taken}: EADDRINUSE`,
    });
    await expect(target.reverse(1, { remote: taken })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `options.remote: can't listen on 127.0.0.1:${taken} on the target: EADDRINUSE`,
    });
    await expect(target.forward(1, { bind: '192.0.2.1' })).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
  });

  it('has the code of a target that can not be reached, and leaves no listener', async () => {
    const server = createServer();
    const free: number = await new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    await new Promise((resolve) => server.close(resolve));
    const target = newTarget({ exec: ['/nowhere/transport'] });
    await expect(target.forward(1, { local: free })).rejects.toMatchObject({ code: 'TARGET_START' });
    expect(await isRefused(free)).toBe(true);
    await target.dispose();
    await expect(target.forward(1)).rejects.toMatchObject({ code: 'TARGET_CLOSED' });
  });

  it('says what to use where no helper runs', async () => {
    const { target } = otherSystem();
    for (const opened of [target.forward(1), target.reverse(1)]) {
      await expect(opened).rejects.toMatchObject({
        code: 'ERR_FEATURE_UNAVAILABLE',
        message: expect.stringMatching(/need the helper on the target.*ssh -L/),
      });
    }
  });

  it.each([
    [0, {}, "'port': expected an integer from 1 to 65535"],
    ['relative', {}, "'port': expected a port or the absolute path of a UNIX socket"],
    ['/a'.repeat(60), {}, "'port': expected a path of at most 107 bytes"],
    ['/a\0', {}, "'port': expected a string without null bytes"],
    [80, { local: 70_000 }, "'options.local': expected an integer from 0 to 65535"],
    [80, { bind: 'example.org' }, "'options.bind': expected an IP address"],
    [80, { host: 'a b' }, "'options.host': expected the name or address of a host"],
    ['/a', { host: 'b' }, "'options.host': expected none next to a path"],
    [80, { remote: 1 }, "'options.remote': unknown"],
    [80, { signal: 1 }, "'options.signal': expected an AbortSignal"],
  ])('%j with %j is a TypeError', async (port, options, message) => {
    const target = new Target({ exec: ['sh'] });
    const opened = target.forward(port, options as never);
    await expect(opened).rejects.toThrow(TypeError);
    await expect(opened).rejects.toThrow(`Invalid option ${message}`);
  });
});
