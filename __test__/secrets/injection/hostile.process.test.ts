// A server that has a credential tells the command of it in each way that HTTP has.

import { describe, expect, it } from 'vitest';
import { guardedByName, MANY, VALUE } from './world.js';

const URL_OF = 'https://registry.test:8443/hostile';

/** The forms of the value of which no part may get to a command that is longer than `MOST`. */
const FORMS = [
  VALUE,
  Buffer.from(VALUE).toString('base64'),
  Buffer.from(`me:${VALUE}`).toString('base64').slice(4, -4),
];
/** The longest part of the value that may be there, as the beginning of something else (characters). */
const MOST = 8;

/** Returns the parts of a form which a text has. */
function shownParts(text: string): string[] {
  const unbroken = text.replace(/\s/g, '').toLowerCase();
  return FORMS.flatMap((form) => {
    const parts = Array.from({ length: form.length - MOST }, (_, start) =>
      form.slice(start, start + MOST + 1),
    );
    return parts.filter((part) => unbroken.includes(part.toLowerCase()));
  });
}

/** The answers over both versions of HTTP; what the command may see of them at most. */
const ANSWERS: [name: string, expected: RegExp][] = [
  ['bytes', /you sent \*{24}\n$/],
  ['bytes-of-base64', /\*{32}/],
  ['lines-of-base64', /^[*\r\n]+$/m],
  ['gzip', /can't be searched/],
  ['br', /can't be searched/],
  ['deflate', /can't be searched/],
  ['zstd', /can't be searched/],
  ['unknown', /can't be searched/],
  ['grpc-encoding', /can't be searched/],
  ['header-name', /ok\n$/],
  ['header-value', /set-cookie: a=\*{24}\r\n[\s\S]*ok\n$/],
  ['trailer', /x-a: \*{24}/],
  ['early-hints', /ok\n$/],
  ['error-status', / 418 [\s\S]*x-a: \*{24}\r\n[\s\S]*no \*{24}\n$/],
  ['redirect', /location: [^ ]*\?\*{24}/],
  ['events', /data: \*{24}\n\ndata: end\n\n$/],
  ['reset', /.*/],
];

/** The answers that a server writes by hand, over HTTP/1.1. */
const BY_HAND = [
  'raw-reason',
  'raw-chunk-extension',
  'raw-continue',
  'raw-folded',
  'raw-second',
  'raw-two-lengths',
  'raw-no-http',
];

const CASES = ANSWERS.flatMap(([name, expected]) =>
  ['--http1.1', '--http2'].map((version): [string, string, RegExp] => [name, version, expected]),
);

/** Returns a command that prints what a client got, in a form in which no value is found and redacted. */
const ask = (name: string, flags: string) =>
  `curl -sS -i ${flags} -H 'te: trailers' ${URL_OF}/${name} > got 2>&1; base64 -w0 got | rev`;

const resultOf = guardedByName({
  ...Object.fromEntries(
    CASES.map(([name, version]) => [name + version, ask(name, `--compressed ${version}`)]),
  ),
  ...Object.fromEntries(BY_HAND.map((name) => [name, ask(name, '--raw --http1.1')])),
});

/** Returns what a client got, and the number of requests. */
async function got(name: string): Promise<{ text: string; requests: number }> {
  const { stdout = '', seen = [] } = (await resultOf(name)) ?? {};
  const text = Buffer.from([...stdout].reverse().join(''), 'base64').toString('latin1');
  return { text, requests: seen.length };
}

const tags = ['root', 'sandbox', 'curl'];

describe('a hostile server does not tell a command its credential', { tags, timeout: MANY }, () => {
  it.each(CASES)('by %s over %s', async (name, version, expected) => {
    const { text, requests } = await got(name + version);
    expect(requests).toBe(1);
    expect(text).toMatch(expected);
    expect(shownParts(text)).toEqual([]);
  });

  it.each(BY_HAND)('by %s', async (name) => {
    const { text, requests } = await got(name);
    expect(requests).toBeGreaterThan(0);
    expect(shownParts(text)).toEqual([]);
  });
});
