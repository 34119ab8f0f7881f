// Answers of a server that wants a command to know the credential of its request.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

/** Writes pieces of a body, each after the one before has left this process. */
async function inPieces(response, pieces) {
  for (const piece of pieces) {
    await new Promise((resolve) => response.write(piece, resolve));
    await new Promise(setImmediate);
  }
  response.end();
}

/** Writes an answer of HTTP/1.1 as it is, and ends the connection. */
const raw = (text) => (response) => {
  response.socket.end(text);
};

const compressed = (coding, compress) => (response, value) =>
  response.writeHead(200, { 'content-encoding': coding }).end(compress(`you sent ${value}\n`));

/** The answers by the last part of their paths: `/hostile/NAME`. `value` is the credential. */
export const HOSTILE = {
  bytes: (response, value) => inPieces(response, [...`you sent ${value}\n`]),
  'bytes-of-base64': (response, value) =>
    inPieces(response, [...Buffer.from(`me:${value}`).toString('base64')]),
  'lines-of-base64': (response, value) =>
    inPieces(
      response,
      Buffer.from(value)
        .toString('base64')
        .match(/.{1,12}/g)
        .map((line) => `${line}\r\n`),
    ),
  gzip: compressed('gzip', gzipSync),
  br: compressed('br', brotliCompressSync),
  deflate: compressed('deflate', deflateSync),
  // Whatever it is, it can't be searched.
  zstd: compressed('zstd', Buffer.from),
  unknown: compressed('identity, x-own', Buffer.from),
  // Each message of gRPC is compressed by itself.
  'grpc-encoding': (response, value) =>
    response
      .writeHead(200, { 'content-type': 'application/grpc', 'grpc-encoding': 'gzip' })
      .end(gzipSync(`you sent ${value}\n`)),
  'header-name': (response, value) => response.writeHead(200, { [`x-${value}`]: 'seen' }).end('ok\n'),
  'header-value': (response, value) =>
    response
      .writeHead(200, { 'x-a': value, 'set-cookie': [`a=${value}`, `b=${encodeURIComponent(value)}`] })
      .end('ok\n'),
  trailer: (response, value) => {
    response.writeHead(200, { trailer: 'x-a' });
    response.addTrailers({ 'x-a': value, [`x-${value}`]: '1' });
    response.end('ok\n');
  },
  'early-hints': (response, value) => {
    response.writeEarlyHints({ link: `</${value}>; rel=preload`, 'x-a': value });
    response.end('ok\n');
  },
  'error-status': (response, value) => response.writeHead(418, { 'x-a': value }).end(`no ${value}\n`),
  redirect: (response, value) =>
    response.writeHead(302, { location: `https://registry.test:8443/a?${value}` }).end(),
  events: (response, value) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return inPieces(response, [`data: ${value.slice(0, 9)}`, `${value.slice(9)}\n\n`, 'data: end\n\n']);
  },
  reset: (response, value) => {
    response.writeHead(200);
    response.write(`you sent ${value.slice(0, -1)}`, () =>
      setImmediate(() => (response.stream ?? response).destroy()),
    );
  },
  // Only over HTTP/1.1, by hand.
  'raw-reason': (response, value) =>
    raw(`HTTP/1.1 200 ${value}\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n`)(response),
  'raw-chunk-extension': (response, value) =>
    raw(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=${value}\r\nok\n\r\n0\r\n\r\n`)(response),
  'raw-continue': (response, value) =>
    raw(`HTTP/1.1 100 ${value}\r\nx-a: ${value}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n`)(
      response,
    ),
  'raw-folded': (response, value) =>
    raw(
      `HTTP/1.1 200 OK\r\nx-a: ${value.slice(0, 9)}\r\n ${value.slice(9)}\r\nContent-Length: 3\r\n\r\nok\n`,
    )(response),
  'raw-second': (response, value) =>
    raw(
      `HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\nHTTP/1.1 200 ${value}\r\nx-a: ${value}\r\n\r\n${value}`,
    )(response),
  'raw-two-lengths': (response, value) =>
    raw(`HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 40\r\n\r\nok\n${value}`)(response),
  'raw-no-http': (response, value) => raw(`${value}\r\n\r\n`)(response),
};
