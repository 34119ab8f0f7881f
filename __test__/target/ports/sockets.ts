// Servers and clients of tests.

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { PortForward } from '../../../index.js';
import { Target } from '../../../index.js';
import { until } from '../../support/processes.mjs';
import { shellTarget } from '../shell-target.js';

/** A target that is disposed at the end of the test. */
export function newTarget(options = {}): Target {
  const target = new Target({ ...shellTarget().options, ...options });
  onTestFinished(() => target.dispose());
  return target;
}

/** A server on this machine, which calls `serve` for each connection, and its port. */
export async function serverOf(serve: (socket: Socket) => void, where: string | number = 0): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    // A reset is the case of some tests, and seen at the other end.
    socket.on('error', () => {});
    serve(socket);
  });
  if (typeof where === 'string') server.listen(where);
  else server.listen({ port: where, host: '127.0.0.1', backlog: 1024 });
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address() as AddressInfo | string;
  return typeof address === 'string' ? 0 : address.port;
}

/** A server that sends everything back. */
export const echoServer = (where?: string | number) => serverOf((socket) => socket.pipe(socket), where);

/** Connects to a port of this machine, or a path. The connection may be half closed. */
export function client(where: number | string): Socket {
  const place = typeof where === 'string' ? { path: where } : { port: where, host: '127.0.0.1' };
  const socket = connect({ ...place, allowHalfOpen: true });
  onTestFinished(() => {
    socket.destroy();
  });
  return socket;
}

/** Returns all text of a socket up to its end. An iterator would destroy the other direction. */
export function textOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', reject);
  });
}

/** Sends a text, ends, and returns the answer. */
export async function exchange(where: number | string, text: string): Promise<string> {
  const socket = client(where);
  socket.end(text);
  return textOf(socket);
}

/** Has 1,000 connections of a port open at once, each with an answer of its own. Returns the sockets. */
export async function exchangeByThousand(port: PortForward): Promise<Socket[]> {
  const sockets = Array.from({ length: 1_000 }, () => client(port.port));
  await until(() => port.connections === 1_000, 'a thousand connections are open');
  const answers = sockets.map(async (socket, number) => {
    socket.end(`answer ${number}`);
    return textOf(socket);
  });
  expect(await Promise.all(answers)).toEqual(sockets.map((_, number) => `answer ${number}`));
  await until(() => port.connections === 0, 'no connection is open');
  return sockets;
}

/** Returns the code of the error with which a socket closes; `null` for none. */
export function closing(socket: Socket): Promise<string | null> {
  return new Promise((resolve) => {
    let code: string | null = null;
    socket.on('error', (error: NodeJS.ErrnoException) => {
      code = error.code ?? 'none';
    });
    socket.on('close', () => resolve(code));
    socket.resume();
  });
}

/** Returns whether a port of this machine refuses connections. */
export function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', () => resolve(true));
  });
}

/** Writes for as long as the socket takes it, and again when it takes more. */
export function flood(socket: Socket): Socket {
  const send = () => {
    while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
  };
  socket.on('drain', send);
  send();
  return socket;
}

/** Returns the number of descriptors of this process. */
export function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}
