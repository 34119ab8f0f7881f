import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';

const root = '/tmp';
const VALUE = 'ghp_k7Qr9x4tZ4mW2vB8aaaabbbbccccddddeee1';

/** The error of a command with these hosts and credentials. */
const wrong = (allow: unknown, credentials?: unknown) =>
  run('true', {
    root,
    sandbox: { level: 'read-only', network: { allow } },
    credentials,
  } as object);

const github = { credential: 'github' };

describe('the option credentials', { tags: ['sandbox'] }, () => {
  it.each([
    [[], { npm: 'abc' }, "'options.credentials.npm': expected 6 to 8192 bytes, got 3"],
    [[], { npm: { value: 'abc' } }, "'options.credentials.npm.value': expected 6 to 8192 bytes, got 3"],
    [[], { npm: 5 }, "'options.credentials.npm': expected a string or a function, got number"],
    [[], { 'a b': VALUE }, "'options.credentials': expected names of up to 64 letters"],
    [[], { npm: 'a\nbcdefg' }, "'options.credentials.npm': expected the characters of a header"],
    [[], { npm: { value: VALUE, heder: {} } }, "did you mean 'header'?"],
    [[], { npm: { value: VALUE, header: { authorization: 'Bearer' } } }, "a text with '{}' for the value"],
    [
      [],
      { npm: { value: VALUE, header: { host: '{}' } } },
      'names of headers that are not of the connection',
    ],
    [[], { npm: { value: VALUE, files: { '/etc/x': '{}' } } }, "paths of the home such as '~/.npmrc'"],
    [[], { npm: { value: VALUE, env: ['A B'] } }, 'a list of names of variables'],
    [['a.example:443'], { npm: VALUE }, 'expected rules of sandbox.network.allow that name them'],
    [
      [github],
      { github: VALUE, npm: VALUE },
      "'options.credentials.npm': expected a rule of sandbox.network",
    ],
    [[github], undefined, "'options.sandbox.network.allow': 'github' is none of options.credentials"],
    [
      ['github.com:443', github],
      { github: VALUE },
      "'options.sandbox.network.allow': 'github.com:443' has rules, and can't be listed without",
    ],
    [[{ credential: 'npm' }], { npm: VALUE }, "'options.sandbox.network.allow[0].host': expected a name"],
    [[{ host: 'a.b', methods: ['get'] }], undefined, 'methods in capitals'],
    [[{ host: 'a.b', methods: ['TRACE'] }], undefined, 'methods in capitals'],
    [[{ host: 'a.b', paths: ['a'] }], undefined, 'paths without queries'],
    [[{ host: 'a.b', paths: ['/a?b'] }], undefined, 'paths without queries'],
    [[{ host: 'a.b', paths: ['/**/a'] }], undefined, 'paths without queries'],
    [[{ host: 'a.b', responses: 'none' }], undefined, "'masked' or 'unchecked'"],
    [
      [{ host: 'a.b', credential: 'npm', responses: 'unchecked' }],
      { npm: () => VALUE },
      "expected for 'a.b:443' responses: 'masked', or a string in place of the function",
    ],
    [
      [{ host: 'a.b', headers: { 'x-a': () => VALUE }, responses: 'unchecked' }],
      undefined,
      "expected for 'a.b:443' responses: 'masked', or a string in place of the function",
    ],
    [[{ host: 'a.b', hots: 'x' }], undefined, "did you mean 'host'?"],
    [[{ host: 'a.b', headers: { 'x-a': 'b' } }], undefined, 'expected 6 to 8192 bytes, got 1'],
    [[7], undefined, "'options.sandbox.network.allow[0]': expected a host with a port"],
  ])('refuses %j with %j', async (allow, credentials, message) => {
    const error = await wrong(allow, credentials).catch((thrown: Error) => thrown);
    expect(String(error)).toContain(message);
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
    expect(String(error)).not.toContain(VALUE);
  });

  it('needs a sandbox whose list names the credentials', async () => {
    const given = run('true', { credentials: { github: VALUE } });
    await expect(given).rejects.toThrow("'options.credentials': expected rules of sandbox.network.allow");
    const on = run('true', {
      root,
      credentials: { github: VALUE },
      sandbox: { level: 'read-only', network: 'on' },
    });
    await expect(on).rejects.toThrow("'options.credentials': expected rules of sandbox.network.allow");
  });

  it('is not available on a target', async () => {
    const given = run('true', { target: { ssh: { host: 'a.example' } }, credentials: { github: VALUE } });
    await expect(given).rejects.toMatchObject({ code: 'ERR_FEATURE_UNAVAILABLE' });
  });

  it('keeps the newest values of functions up to 16 KiB, and the last one of each', async () => {
    const { FetchedValues } = await import(new URL('../../lib/credentials/fetched.ts', import.meta.url).href);
    const fetched = new FetchedValues();
    const longValue = (count: number) => `${count}`.padEnd(4096, '-');
    fetched.note(0, 'seldom', 'the last one of its function');
    for (let count = 0; count < 20; count += 1) fetched.note(1, 'often', longValue(count));
    expect(fetched.all()).toEqual([
      ['seldom', 'the last one of its function'],
      ...[15, 16, 17, 18, 19].map((count) => ['often', longValue(count)]),
    ]);
  });

  it('names the package that rules need, where it is missing', async () => {
    // Outside of a bundle, nothing is found.
    const { interceptorProgram } = await import(
      new URL('../../lib/credentials/program.ts', import.meta.url).href
    );
    expect(() => interceptorProgram('api.github.com')).toThrow(
      expect.objectContaining({
        code: 'INTERCEPTOR_MISSING',
        message: expect.stringMatching(
          /^Rules for 'api\.github\.com' need a package: npm install agent-bash-interceptor/,
        ),
      }),
    );
  });
});
