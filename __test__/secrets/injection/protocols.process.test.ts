// Clients that keep a connection: gRPC and WebSockets.

import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { installFor } from '../../../scripts/downloads.mjs';
import { guarded, PACKAGES, VALUE } from './world.js';

const HOST = 'registry.test:8443';
const UNCHECKED = "{ allow: [{ ...RULE, responses: 'unchecked' }] }";
const STARS = '*'.repeat(VALUE.length);

beforeAll(() => installFor('__test__/secrets/injection/clients'), 300_000);

/** Returns a command that runs a program of Node.js which may require the installed packages. */
const node = (program: string) => `NODE_PATH=${PACKAGES} node -e '${program}'`;

/** Calls a method of gRPC, and prints the answer, the code of its end and its message. */
const CALL = node(`
  const { Client, credentials } = require("@grpc/grpc-js");
  const client = new Client("${HOST}", credentials.createSsl());
  const same = (bytes) => bytes;
  const call = client.makeUnaryRequest("/demo.Echo/Say", same, same, Buffer.from("hello"), (error, answer) => {
    if (error) console.log(error.code, error.details);
    else console.log(answer.toString());
    client.close();
  });
  call.on("status", ({ code, details }) => console.log(code, details));
`);

/** The same in Python. */
const CALL_BY_PYTHON = `python3 -c '
import grpc
channel = grpc.secure_channel("${HOST}", grpc.ssl_channel_credentials())
call = channel.unary_unary("/demo.Echo/Say").with_call(b"hello", timeout=30)
print(call[0].decode(), call[1].code().value[0], call[1].details())
'`;

/** Sends a message by a WebSocket, and prints what comes back. */
const CHAT = node(`
  const socket = new (require("ws"))("wss://${HOST}/chat");
  socket.on("open", () => socket.send("hello"));
  socket.on("message", (text) => { console.log(text.toString()); socket.close(); });
  socket.on("error", (error) => console.log(error.message));
`);

const hasGrpc = spawnSync('python3', ['-c', 'import grpc']).status === 0;

describe('a credential of a host with rules', { tags: ['root', 'sandbox'] }, () => {
  it('gets into calls of gRPC, whose trailers are masked', async () => {
    const { stdout, stderr, seen } = await guarded(CALL);
    expect({ stdout, stderr }).toEqual({ stdout: `hello\n0 Bearer ${STARS}\n`, stderr: '' });
    expect(seen).toMatchObject([{ path: '/demo.Echo/Say', httpVersion: '2.0' }]);
    expect(seen[0]?.headers).toMatchObject({ authorization: `Bearer ${VALUE}`, te: 'trailers' });
  });

  it.runIf(hasGrpc)('gets into calls of gRPC in Python', async () => {
    const { stdout, seen } = await guarded(CALL_BY_PYTHON);
    expect(stdout).toBe(`hello 0 Bearer ${STARS}\n`);
    expect(seen).toMatchObject([{ path: '/demo.Echo/Say', httpVersion: '2.0' }]);
  });

  it('gets into the request for a WebSocket where responses are unchecked', async () => {
    const { stdout, seen, used } = await guarded(CHAT, UNCHECKED);
    expect(stdout).toBe('hello\n');
    expect(seen).toMatchObject([{ path: '/chat', headers: { authorization: `Bearer ${VALUE}` } }]);
    expect(used).toMatchObject([{ requests: 1 }]);
  });

  it('is redacted in the output of a command that a WebSocket has told it', async () => {
    const { stdout } = await guarded(CHAT.replace('"hello"', '"who am I?"'), UNCHECKED);
    expect(stdout).toBe('Bearer [redacted:own]\n');
  });

  it('gets into no WebSocket where responses are masked', async () => {
    const { stdout, seen, refused } = await guarded(CHAT);
    expect(stdout).toContain('403');
    expect(seen).toEqual([]);
    expect(refused).toMatchObject([{ kind: 'request', path: '/chat', reason: 'upgrade' }]);
  });
});
