import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, Target } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { INDEX, NodeProcess } from '../../support/node.js';
import { until } from '../../support/processes.mjs';
import { shellTarget } from '../shell-target.js';
import { client, closing, echoServer, exchange, newTarget, serverOf, textOf } from './sockets.js';

/** Leaves the socket of a server that is gone, as a killed process does. */
async function abandonedSocket(path: string): Promise<void> {
  const program = `
    import { createServer } from 'node:net';
    createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'));
  `;
  await new NodeProcess(program).ended;
  expect(existsSync(path)).toBe(true);
}

describe.skipIf(process.platform !== 'linux')('a port at a path', () => {
  it('is a UNIX socket here for this user alone, which reaches a server there', async () => {
    const path = join(temporaryDirectory(), 'socket');
    const port = await newTarget().forward(await echoServer(), { local: path });
    expect([port.path, port.host, port.port]).toEqual([path, '', 0]);
    expect(statSync(path).mode & 0o7777).toBe(0o600);
    expect(await exchange(path, 'hello')).toBe('hello');
    await until(() => port.connections === 0, 'no connection is open');
  });

  it('may lead to a UNIX socket there', async () => {
    const at = (name: string) => join(directory, name);
    const directory = temporaryDirectory();
    await echoServer(at('there'));
    const text = 'y'.repeat(3_000_000);
    await newTarget().forward(at('there'), { local: at('here') });
    expect(await exchange(at('here'), text)).toBe(text);
  });

  it('is a UNIX socket there for the account alone, which reaches a server here', async () => {
    const path = join(temporaryDirectory(), 'socket');
    const target = newTarget();
    const port = await target.reverse(await echoServer(), { remote: path });
    expect([port.path, port.host, port.port]).toEqual([path, '', 0]);
    expect((await run(['stat', '-c', '%a %F', path], { target })).stdout).toBe('600 socket\n');
    expect(await exchange(path, 'hello')).toBe('hello');
  });

  it('carries the end of each direction by itself', async () => {
    const directory = temporaryDirectory();
    const texts: string[] = [];
    const server = await serverOf((socket) => {
      socket.end('first');
      textOf(socket).then((text) => texts.push(text));
    });
    const target = newTarget();
    const ports = [
      await target.forward(server, { local: join(directory, 'here') }),
      await target.reverse(server, { remote: join(directory, 'there') }),
    ];
    for (const port of ports) {
      const socket = client(port.path ?? '');
      expect(await textOf(socket)).toBe('first');
      socket.end('later');
      await until(() => port.connections === 0, 'both directions have ended');
    }
    expect(texts).toEqual(['later', 'later']);
  });

  it('ends a connection where nothing listens on the other side', async () => {
    const directory = temporaryDirectory();
    const target = newTarget();
    await target.forward(join(directory, 'none'), { local: join(directory, 'here') });
    await target.reverse(1, { remote: join(directory, 'there') });
    for (const name of ['here', 'there']) {
      const socket = client(join(directory, name));
      socket.on('end', () => socket.end());
      expect([null, 'ECONNRESET', 'EPIPE']).toContain(await closing(socket));
    }
  });

  it.each(['close', 'dispose'])('has no file after %s()', async (end) => {
    const directory = temporaryDirectory();
    const target = newTarget();
    const server = await echoServer();
    const here = await target.forward(server, { local: join(directory, 'here') });
    const there = await target.reverse(server, { remote: join(directory, 'there') });
    if (end === 'dispose') await target.dispose();
    else await Promise.all([here.close(), there.close()]);
    expect(existsSync(join(directory, 'here'))).toBe(false);
    await until(() => !existsSync(join(directory, 'there')), 'the socket there is gone');
  });

  it('has no file when Node.js has exited with the port open', async () => {
    const directory = temporaryDirectory();
    const program = `
      import { Target } from ${JSON.stringify(INDEX)};
      import { existsSync } from 'node:fs';
      const target = new Target(${JSON.stringify(shellTarget().options)});
      await target.forward(1, { local: ${JSON.stringify(join(directory, 'here'))} });
      process.exit(existsSync(${JSON.stringify(join(directory, 'here'))}) ? 7 : 1);
    `;
    expect((await new NodeProcess(program).ended).code).toBe(7);
    expect(existsSync(join(directory, 'here'))).toBe(false);
  });

  it('takes the place of a socket on which nobody listens any more', async () => {
    const directory = temporaryDirectory();
    const target = newTarget();
    for (const name of ['here', 'there']) await abandonedSocket(join(directory, name));
    await target.forward(await echoServer(), { local: join(directory, 'here') });
    await target.reverse(await echoServer(), { remote: join(directory, 'there') });
    for (const name of ['here', 'there']) expect(await exchange(join(directory, name), 'x')).toBe('x');
  });

  it('leaves a file, a directory, a link and a socket in use as they are', async () => {
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    writeFileSync(at('file'), 'text');
    mkdirSync(at('directory'));
    symlinkSync(at('nowhere'), at('link'));
    await serverOf((socket) => socket.end('in use'), at('socket'));
    const target = newTarget();
    for (const name of ['file', 'directory', 'link', 'socket']) {
      const path = at(name);
      await expect(target.forward(1, { local: path })).rejects.toMatchObject({
        code: 'EADDRINUSE',
        message: `options.local: can't listen on ${path}: EADDRINUSE`,
      });
      await expect(target.reverse(1, { remote: path })).rejects.toMatchObject({
        code: 'EADDRINUSE',
        message: `options.remote: can't listen on ${path} on the target: EADDRINUSE`,
      });
    }
    expect(readFileSync(at('file'), 'utf8')).toBe('text');
    expect(existsSync(at('nowhere'))).toBe(false);
    expect(await exchange(at('socket'), '')).toBe('in use');
    await expect(target.forward(1, { local: at('none/x') })).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('removes no file that has taken the place of its socket', async () => {
    const path = join(temporaryDirectory(), 'socket');
    const port = await newTarget().forward(1, { local: path });
    const other = createServer().listen(`${path}.new`);
    await until(() => existsSync(`${path}.new`), 'another server listens');
    await run(['mv', `${path}.new`, path]);
    await port.close();
    const socket = createConnection(path);
    await until(() => socket.readyState === 'open', 'the other server is reached');
    socket.destroy();
    other.close();
  });

  it.each([
    [{ local: 'relative' }, "'options.local': expected a port or the absolute path of a UNIX socket"],
    [{ local: '/a'.repeat(60) }, "'options.local': expected a path of at most 107 bytes"],
    [{ local: '/a\0' }, "'options.local': expected a string without null bytes"],
    [{ local: '/a', bind: '127.0.0.1' }, "'options.bind': expected none next to a path"],
  ])('%j is a TypeError', async (options, message) => {
    const opened = new Target({ exec: ['sh'] }).forward(80, options);
    await expect(opened).rejects.toThrow(TypeError);
    await expect(opened).rejects.toThrow(`Invalid option ${message}`);
  });
});
