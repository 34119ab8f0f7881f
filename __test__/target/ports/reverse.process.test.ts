import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { until } from '../../support/processes.mjs';
import { client, closing, echoServer, exchange, newTarget, serverOf, textOf } from './sockets.js';

describe.skipIf(process.platform !== 'linux')('a port that is reversed', () => {
  it('lets a command there reach a server here', async () => {
    const target = newTarget();
    const server = await serverOf((socket) => socket.end('from here\n'));
    const port = await target.reverse(server);
    const line = `exec 3<>/dev/tcp/${port.host}/${port.port}; cat <&3`;
    expect((await run(line, { target, shell: 'bash' })).stdout).toBe('from here\n');
  });

  it('carries bytes and the end of each direction', async () => {
    const target = newTarget();
    const text = 'y'.repeat(3_000_000);
    const port = await target.reverse(await echoServer());
    expect(await exchange(port.port, text)).toBe(text);
    await until(() => port.connections === 0, 'no connection is open');
  });

  it('resets a connection there where nothing listens here', async () => {
    const port = await newTarget().reverse(1);
    expect(await closing(client(port.port))).toBe('ECONNRESET');
  });

  it('reaches a UNIX socket here', async () => {
    const path = join(temporaryDirectory(), 'socket');
    await serverOf((socket) => socket.end('unix'), path);
    const port = await newTarget().reverse(path);
    expect(await textOf(client(port.port))).toBe('unix');
  });

  it('listens there no more when it is closed', async () => {
    const target = newTarget();
    const server = await echoServer();
    const port = await target.reverse(server);
    const open = client(port.port);
    await until(() => port.connections === 1, 'the connection is open');
    const reset = closing(open);
    await port.close();
    expect(await reset).toBe('ECONNRESET');
    const again = await target.reverse(server, { remote: port.port });
    expect(await exchange(again.port, 'hello')).toBe('hello');
  });
});
