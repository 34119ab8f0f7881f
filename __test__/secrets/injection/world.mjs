// A server that needs a credential, for the tests of injected ones, in the network of `inWorld()`: with
// certificates of an authority of its own, HTTP/1.1 and HTTP/2 at port 8443, HTTP at 8081, a bare repository
// of git, registries of packages, a method of gRPC and a WebSocket.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { DIRECTORY, PUBLIC, ROOT } from '../../sandbox/network/world.mjs';
import { HOSTILE } from './hostile.mjs';
import { registryFile } from './registries.mjs';

/** The value that no command may have, and no other text has. */
export const VALUE = 'tok_k7Qr9x4tZ4mW2vB8aNbC';

const { run } = await import(process.env.INDEX);

const AUTHORITY = join(DIRECTORY, 'authority.pem');
const openssl = (...words) => execFileSync('openssl', words, { cwd: DIRECTORY, stdio: 'pipe' });
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
openssl(
  'req',
  '-x509',
  ...curve,
  '-keyout',
  'authority.key',
  '-out',
  AUTHORITY,
  '-days',
  '2',
  '-subj',
  '/CN=test',
);
writeFileSync(join(DIRECTORY, 'names'), 'subjectAltName=DNS:registry.test,DNS:a.wild.test\n');
openssl('req', ...curve, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=registry.test');
const signed = ['-in', 'server.csr', '-CA', AUTHORITY, '-CAkey', 'authority.key', '-CAcreateserial'];
openssl('x509', '-req', ...signed, '-days', '2', '-extfile', 'names', '-out', 'server.pem');

// The interceptor verifies servers by these certificates too.
process.env.NODE_EXTRA_CA_CERTS = AUTHORITY;

/** The requests that the servers got. */
export const requests = [];

/** The values that the server accepts. */
export const accepted = new Set([VALUE]);

const REPOSITORY = join(DIRECTORY, 'repository.git');
export const git = (...words) => execFileSync('git', words, { stdio: 'pipe' }).toString();
git('init', '--quiet', '--bare', REPOSITORY);
git('-C', REPOSITORY, 'config', 'http.receivepack', 'true');

/** Returns the value in a header `Authorization`, by either scheme. */
const valueIn = (authorization = '') =>
  authorization.startsWith('Basic ')
    ? Buffer.from(authorization.slice(6), 'base64').toString().split(':')[1]
    : authorization.replace('Bearer ', '');

/** Notes a request that a server got. */
function note({ method, url, headers, rawHeaders, httpVersion }, body) {
  const path = new URL(url, 'https://x').pathname;
  requests.push({ method, path, url, headers: { ...headers }, rawHeaders, httpVersion, body });
}

/** Answers a request, and echoes its credential in many places. */
function answer(request, response) {
  const { url, headers } = request;
  const { pathname } = new URL(url, 'https://x');
  if (pathname.startsWith('/repository.git/') && accepted.has(valueIn(headers.authorization))) {
    // A push is too large to be kept.
    note(request, '');
    backend(request, response);
    return;
  }
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const body = Buffer.concat(pieces);
    note(request, body.toString('latin1'));
    const authorization = headers.authorization ?? '';
    const given = valueIn(authorization);
    const file = registryFile(pathname);
    if (!accepted.has(given)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('no\n');
    } else if (file !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html' }).end(file);
    } else if (pathname.startsWith('/hostile/')) {
      HOSTILE[pathname.slice('/hostile/'.length)](response, given);
    } else if (pathname === '/demo.Echo/Say') {
      response.writeHead(200, { 'content-type': 'application/grpc' });
      response.addTrailers({ 'grpc-status': '0', 'grpc-message': authorization });
      response.end(body);
    } else if (pathname === '/echo') {
      response.writeHead(200, { 'x-echo': authorization });
      for (const byte of `${authorization} ${Buffer.from(given).toString('base64')}\n`) response.write(byte);
      response.end();
    } else if (pathname === '/redirect') {
      response.writeHead(302, { location: 'http://registry.test:8081/b' }).end();
    } else if (pathname === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${authorization.slice(0, 14)}`);
      setImmediate(() => response.end(`${authorization.slice(14)}\n\n`));
    } else if (pathname === '/gzip') {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(authorization));
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}\n');
    }
  });
}

/** Serves the repository by the CGI program of git, whose input and output pass without being kept. */
function backend(request, response) {
  const { method, url, headers } = request;
  const { pathname, search } = new URL(url, 'https://x');
  const program = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: DIRECTORY,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'me',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: method,
      CONTENT_TYPE: headers['content-type'] ?? '',
      CONTENT_LENGTH: headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: headers['git-protocol'] ?? '',
    },
  });
  let head = Buffer.alloc(0);
  program.stdout.on('readable', function read() {
    head = Buffer.concat([head, program.stdout.read() ?? Buffer.alloc(0)]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    program.stdout.off('readable', read);
    const fields = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': '));
    const { Status: status = '200', ...others } = Object.fromEntries(fields);
    response.writeHead(Number.parseInt(status, 10), others);
    response.write(head.subarray(end + 4));
    program.stdout.pipe(response);
  });
  request.pipe(program.stdin);
}

/** The packages of clients, where they are installed. */
const PACKAGES = fileURLToPath(new URL('./clients/node_modules', import.meta.url));

/** Serves a WebSocket, which answers with what it gets, and `who am I?` with the credential. */
function chat(request, socket, head) {
  note(request, '');
  const { WebSocketServer } = createRequire(`${PACKAGES}/x`)('ws');
  new WebSocketServer({ noServer: true }).handleUpgrade(request, socket, head, (client) => {
    client.on('message', (data) => {
      const text = data.toString();
      client.send(text === 'who am I?' ? request.headers.authorization : text);
    });
  });
}

const [key, cert] = ['server.key', 'server.pem'].map((name) => readFileSync(join(DIRECTORY, name)));
for (const [server, port] of [
  [createSecureServer({ key, cert, allowHTTP1: true }, answer).on('upgrade', chat), 8443],
  [createServer(answer), 8081],
]) {
  server.listen(port, PUBLIC);
  await once(server, 'listening');
  server.unref();
}

/** The usual rule, and the usual credential. */
export const RULE = { host: 'registry.test:8443', credential: 'own' };
export const CREDENTIAL = { value: VALUE, env: ['OWN_TOKEN'] };

mkdirSync(join(DIRECTORY, 'home'), { recursive: true });

/** Runs a command with rules, and returns its result with the requests that the servers got meanwhile. */
export async function guarded(command, { allow = [RULE], own = CREDENTIAL, ...more } = {}) {
  requests.length = 0;
  const result = await run(command, {
    root: ROOT,
    sandbox: { level: 'workspace-write', network: { allow } },
    credentials: own === undefined ? undefined : { own },
    timeout: 60_000,
    ...more,
  });
  const { stdout, stderr, exitCode, error, sandbox } = result;
  return {
    stdout,
    stderr,
    exitCode,
    error,
    used: sandbox?.used,
    refused: sandbox?.refused,
    seen: [...requests],
  };
}
