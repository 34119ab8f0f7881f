import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Target } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { INDEX, NodeProcess } from '../../support/node.js';
import { living, until } from '../../support/processes.mjs';
import { Sshd } from '../sshd.js';
import {
  client,
  descriptors,
  echoServer,
  exchange,
  exchangeByThousand,
  isRefused,
  serverOf,
  textOf,
} from './sockets.js';

/** Returns the number of descriptors of the supervisor, the only process there without a command. */
function descriptorsThere(cache: string): number {
  const [pid] = living(cache);
  return pid === undefined ? 0 : readdirSync(`/proc/${pid}/fd`).length;
}

describe('ports over ssh', { tags: ['sshd'] }, () => {
  const sshd = new Sshd();

  it('carry a thousand connections at once in each direction, and leave no descriptor', async () => {
    await using target = new Target(sshd.box('thousand'));
    const server = await echoServer();
    for (const port of [await target.forward(server), await target.reverse(server)]) {
      await exchange(port.port, 'first');
      await until(() => port.connections === 0, 'the first is over');
      const [here, there] = [descriptors(), descriptorsThere(sshd.at('cache'))];
      await exchangeByThousand(port);
      await until(() => descriptors() <= here, 'no descriptor is left here');
      await until(() => descriptorsThere(sshd.at('cache')) <= there, 'no descriptor is left there');
    }
  });

  it('carry large bodies both ways at once, by TCP and by a path', async () => {
    await using target = new Target(sshd.box('large'));
    const path = join(temporaryDirectory(), 'socket');
    const server = await echoServer();
    const { port } = await target.forward(server);
    await target.reverse(server, { remote: path });
    const text = Array.from({ length: 600_000 }, (_, number) => `${number}\n`).join('');
    const answers = await Promise.all([exchange(port, text), exchange(path, text)]);
    for (const answer of answers) expect(answer === text).toBe(true);
  });

  it('leave half-closed connections open in the other direction', async () => {
    await using target = new Target(sshd.box('half'));
    const server = await serverOf((socket) => {
      const text = textOf(socket);
      text.then((said) => socket.end(`after the end: ${said}`));
    });
    const port = await target.forward(server);
    const sockets = Array.from({ length: 100 }, () => client(port.port));
    const answers = sockets.map(async (socket, number) => {
      socket.end(`${number}`);
      return textOf(socket);
    });
    expect(await Promise.all(answers)).toEqual(sockets.map((_, number) => `after the end: ${number}`));
  });

  it('leave no socket at a path there when Node.js is killed', async () => {
    const path = join(temporaryDirectory(), 'socket');
    const program = `
      import { Target } from ${JSON.stringify(INDEX)};
      const target = new Target(${JSON.stringify(sshd.box('killed'))});
      await target.reverse(1, { remote: ${JSON.stringify(path)} });
    `;
    const host = new NodeProcess(program);
    await until(() => existsSync(path), 'the supervisor listens');
    host.process.kill('SIGKILL');
    await until(() => !existsSync(path), 'the socket is gone');
  });

  it('leave no process, listener and descriptor when the target is disposed in the middle', async () => {
    const before = descriptors();
    const target = new Target(sshd.box('disposed'));
    const server = await echoServer();
    const ports = [await target.forward(server), await target.reverse(server)];
    const sockets = ports.flatMap(({ port }) => Array.from({ length: 200 }, () => client(port)));
    const closed = sockets.map((socket) => {
      socket.write('x');
      return new Promise((resolve) =>
        socket
          .on('error', () => {})
          .on('close', resolve)
          .resume(),
      );
    });
    await until(() => ports.every(({ connections }) => connections === 200), 'all are open');
    await target.dispose();
    await Promise.all(closed);
    for (const { port } of ports) expect(await isRefused(port)).toBe(true);
    await until(() => living(sshd.at('cache')).length === 0, 'the helper is gone');
    await until(() => living(sshd.at('disposed')).length === 0, 'the transport is gone');
    // The server of this test, and its end of connections that are being closed.
    await until(() => descriptors() <= before + 1, 'no descriptor is left');
  });
});
