// A network of its own for the tests of allowed hosts: the public addresses 93.184.216.34 and .35, the
// private address 10.9.8.7, names for them, and servers. `inWorld()` of `world.ts` starts programs with it.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';

/** Switches protocols, and sends what it gets. */
function echo(request, socket) {
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\n\r\n`,
  );
  socket.pipe(socket);
}

export const DIRECTORY = process.env.WORLD;
export const ROOT = join(DIRECTORY, 'project');
export const PUBLIC = '93.184.216.34';
export const PRIVATE = '10.9.8.7';

/** The beginning of a command that knows no proxy. */
export const WITHOUT_PROXY =
  'unset HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY all_proxy NODE_USE_ENV_PROXY; ';

const { run } = await import(process.env.INDEX);

/** The requests that the servers got: address, host, method and path. */
export const requests = [];

/** Sets the address of a name of the host. */
export function setName(name, address) {
  const file = join(DIRECTORY, 'hosts');
  const others = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith(` ${name}`));
  writeFileSync(file, `${[...others, `${address} ${name}`].join('\n')}\n`);
}

/** Runs a command that may reach the listed hosts. */
export function inside(command, allow, more = {}) {
  return run(command, {
    root: ROOT,
    sandbox: { level: 'workspace-write', network: { allow } },
    env: { CURL_CA_BUNDLE: join(ROOT, 'cert.pem') },
    timeout: 60_000,
    ...more,
  });
}

/** Answers with what was asked for; `/redirect/ADDRESS` leads elsewhere, and files are those of `www`. */
function answer(address) {
  return (request, response) => {
    requests.push(`${address} ${request.headers.host} ${request.method} ${request.url}`);
    const path = new URL(request.url, 'http://x').pathname;
    const file = join(DIRECTORY, 'www', path);
    if (path.startsWith('/redirect/')) {
      response.writeHead(302, { location: `http://${path.slice('/redirect/'.length)}/` }).end();
    } else if (path === '/reset') {
      response.writeHead(200, { connection: 'close' });
      response.write('a part', () => request.socket.resetAndDestroy());
    } else if (path === '/large') {
      large(response);
    } else if (path.length > 1 && !path.endsWith('/') && existsSync(file)) {
      createReadStream(file).pipe(response);
    } else if (existsSync(join(file, 'index.html'))) {
      response.setHeader('content-type', 'text/html');
      createReadStream(join(file, 'index.html')).pipe(response);
    } else if (path.startsWith('/missing')) {
      response.writeHead(404).end();
    } else {
      let length = 0;
      request.on('data', (piece) => {
        length += piece.length;
      });
      request.on('end', () => response.end(`${address} ${request.headers.host} ${path} ${length}\n`));
    }
  };
}

const LARGE_PIECE = Buffer.alloc(1 << 20, 'x');

/** Sends 256 MiB. */
async function large(response) {
  for (let count = 0; count < 256; count += 1) {
    if (!response.write(LARGE_PIECE)) await once(response, 'drain');
  }
  response.end();
}

async function listen(server, port, address) {
  server.listen(port, address);
  await once(server, 'listening');
  server.unref();
  return server;
}

for (const address of [
  PUBLIC,
  '93.184.216.35',
  PRIVATE,
  '127.0.0.1',
  '2600::5',
  'fd00::5',
  '64:ff9b::a09:807',
]) {
  await listen(createServer(answer(address)), 80, address);
}
await listen(createServer(answer(PUBLIC)).on('upgrade', echo), 8080, PUBLIC);
const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(ROOT, name)));
await listen(createSecureServer({ key, cert }, answer(PUBLIC)), 443, PUBLIC);

/**
 * Starts a name server of the host. `answer` gets each name that is looked up, and returns its address, or
 * nothing for a name that does not exist.
 */
export async function nameServer(answer) {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    let at = 12;
    const labels = [];
    while (question[at] > 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + question[at]));
      at += question[at] + 1;
    }
    const isForAddress = question.readUInt16BE(at + 1) === 1;
    const found = answer(labels.join('.'), isForAddress);
    const isAnswered = found !== undefined && isForAddress;
    const head = Buffer.alloc(12);
    question.copy(head, 0, 0, 2);
    head.writeUInt16BE(found === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(isAnswered ? 1 : 0, 6);
    const record = Buffer.from([
      0xc0,
      12,
      0,
      1,
      0,
      1,
      0,
      0,
      0,
      0,
      0,
      4,
      ...(found ?? '').split('.').map(Number),
    ]);
    socket.send([head, question.subarray(12, at + 5), ...(isAnswered ? [record] : [])], port, address);
  });
  socket.bind(53, '127.0.0.1');
  await once(socket, 'listening');
  socket.unref();
}

/** The open connections to a server that answers nothing. */
export const silent = new Set();
await listen(
  createTcpServer((socket) => {
    silent.add(socket);
    socket.on('error', () => {}).on('close', () => silent.delete(socket));
  }),
  9000,
  PUBLIC,
);

const HALF_OPEN_PORT = 9001;
const halfOpen = (socket) => socket.on('error', () => {}).resume();
await listen(createTcpServer({ allowHalfOpen: true }, halfOpen), HALF_OPEN_PORT, PUBLIC);

/**
 * The states of the connections to a server that answers nothing, and stays when the client has sent its
 * end: Node.js itself does not see what becomes of such a connection.
 */
export function halfOpenStates() {
  const port = `:${HALF_OPEN_PORT.toString(16).toUpperCase()}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/ +/));
  return rows.filter((row) => row[1]?.endsWith(port) && row[3] !== LISTEN).map((row) => row[3]);
}

/** States in `/proc/net/tcp`. */
export const CLOSE_WAIT = '08';
const LISTEN = '0A';
