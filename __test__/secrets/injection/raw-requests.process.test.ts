// A command writes requests by hand, so that the interceptor and the server may read them in different ways.

import { describe, expect, it } from 'vitest';
import { guardedByName, MANY, VALUE } from './world.js';

const HOST = 'Host: registry.test:8443';
const RULES = "{ allow: [{ ...RULE, methods: ['GET', 'POST'], paths: ['/v1/**'] }] }";
const CHUNKED = 'Transfer-Encoding: chunked';
const LAST = 'Connection: close';

/** Returns a command that sends lines of HTTP/1.1 in TLS, and prints what comes back. */
function send(lines: string[]): string {
  const text = `${lines.join('\r\n')}\r\n\r\n`;
  const connect = '-connect registry.test:8443 -servername registry.test -CAfile /dev/agent-bash/ca.pem';
  const client = `timeout 20 openssl s_client ${connect} -quiet -verify_return_error -ign_eof 2>/dev/null`;
  return `echo ${Buffer.from(text).toString('base64')} | base64 -d | ${client}`;
}

/** Requests that get to no server. */
const REFUSED: Record<string, string[]> = {
  'two hosts': ['GET /v1/a HTTP/1.1', HOST, 'Host: a.wild.test', LAST],
  'no host': ['GET /v1/a HTTP/1.1', LAST],
  'another host in its target': ['GET https://a.wild.test:8443/v1/a HTTP/1.1', HOST, LAST],
  'a user in its target': ['GET https://registry.test:8443@a.wild.test/v1/a HTTP/1.1', HOST, LAST],
  'two lengths': ['POST /v1/a HTTP/1.1', HOST, 'Content-Length: 1', 'Content-Length: 9', LAST, '', 'a'],
  'an unknown framing': ['POST /v1/a HTTP/1.1', HOST, 'Transfer-Encoding: xchunked', LAST, '', '0', ''],
  'a space before a colon': ['GET /v1/a HTTP/1.1', HOST, 'Authorization : Bearer mine', LAST],
  'a folded header': ['GET /v1/a HTTP/1.1', HOST, 'X-A: 1', ' Authorization: Bearer mine', LAST],
  'another protocol': ['PRI * HTTP/2.0', '', 'SM', ''],
  'a method of proxies': ['CONNECT registry.test:8443 HTTP/1.1', HOST, LAST],
  'a target that is no path': ['GET v1/a HTTP/1.1', HOST, LAST],
  'a target for all of a server': ['OPTIONS * HTTP/1.1', HOST, LAST],
};

/** Requests of which the server gets one, to `/v1/a`. */
const ALONE: Record<string, string[]> = {
  'another one hidden behind its body': [
    ...['POST /v1/a HTTP/1.1', HOST, 'Content-Length: 60', CHUNKED, '', '0', ''],
    ...['GET /admin HTTP/1.1', HOST, LAST],
  ],
  'one to another host right after it': [
    ...['GET /v1/a HTTP/1.1', HOST, '', 'GET /v1/b HTTP/1.1', 'Host: a.wild.test', LAST],
  ],
  'an account in its trailers': [
    ...['POST /v1/a HTTP/1.1', HOST, CHUNKED, 'Trailer: authorization', LAST],
    ...['', '1', 'x', '0', 'Authorization: Bearer mine'],
  ],
  'the injected header named as one of the connection': [
    ...['GET /v1/a HTTP/1.1', HOST, 'Connection: close, authorization', 'Authorization: Bearer mine'],
  ],
  'accounts in other spellings': [
    ...[
      'GET /v1/a HTTP/1.1',
      HOST,
      'AUTHORIZATION: Bearer mine',
      'authorization: Basic bWluZQ==',
      'Cookie: a=mine',
      LAST,
    ],
  ],
  'another method and path in its headers': [
    ...['GET /v1/a HTTP/1.1', HOST, 'X-HTTP-Method-Override: mine', 'X-Original-URL: /mine', LAST],
  ],
};

const resultOf = guardedByName(
  Object.fromEntries(Object.entries({ ...REFUSED, ...ALONE }).map(([name, lines]) => [name, send(lines)])),
  RULES,
);

describe('a request by hand', { tags: ['root', 'sandbox'], timeout: MANY }, () => {
  it.each(Object.keys(REFUSED))('with %s gets to no server', async (name) => {
    const { stdout, seen } = (await resultOf(name)) ?? {};
    expect(seen).toEqual([]);
    expect(stdout).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
  });

  it.each(Object.keys(ALONE))('with %s gets there alone, with the credential', async (name) => {
    const { stdout, seen = [] } = (await resultOf(name)) ?? {};
    expect(
      seen.map(({ path }) => path),
      stdout,
    ).toEqual(['/v1/a']);
    const [{ rawHeaders = [], body } = {}] = seen;
    const named = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'authorization');
    expect(named).toEqual([`Bearer ${VALUE}`]);
    expect(JSON.stringify([rawHeaders, body])).not.toContain('mine');
  });
});
