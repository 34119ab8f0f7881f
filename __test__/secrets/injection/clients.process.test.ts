// Clients of the usual kinds use a credential that they don't have.

import { describe, expect, it } from 'vitest';
import { type Guarded, guarded, inGuardedWorld, VALUE } from './world.js';

const URL_OF = 'https://registry.test:8443';
const WITHOUT_PROXY =
  'unset HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY all_proxy NODE_USE_ENV_PROXY; ';

const used = (requests: number) => [{ credential: 'own', host: 'registry.test', port: 8443, requests }];

describe('a credential of a host with rules', { tags: ['root', 'sandbox', 'curl'] }, () => {
  it.each([
    ['HTTP/1.1', `curl -sS --http1.1 ${URL_OF}/a`, '1.1'],
    ['HTTP/2', `curl -sS --http2 ${URL_OF}/a`, '2.0'],
    ['no proxy', `${WITHOUT_PROXY} curl -sS --http1.1 ${URL_OF}/a`, '1.1'],
    ['SOCKS', `curl -sS --http1.1 --proxy socks5h://198.18.0.1:80 ${URL_OF}/a`, '1.1'],
  ])('gets into requests of curl by %s', async (_, command, version) => {
    const { stdout, seen, used: found } = await guarded(command);
    expect(stdout).toBe('{"ok":true}\n');
    expect(seen).toMatchObject([{ method: 'GET', path: '/a', httpVersion: version }]);
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${VALUE}`);
    expect(found).toEqual(used(1));
  });

  it('replaces what the command sends, also the placeholder', async () => {
    const line = `curl -sS -H "authorization: Bearer $OWN_TOKEN" ${URL_OF}/a;
      curl -sS -H "authorization: Bearer other" ${URL_OF}/a; echo "$OWN_TOKEN"`;
    const { stdout, seen } = await guarded(line);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Bearer ${VALUE}`));
    expect(stdout.split('\n').at(-2)).toMatch(/^[a-z]{3}_[A-Za-z0-9]{20}$/);
    expect(stdout).not.toContain(VALUE);
  });

  it('gets into requests of Node.js and Python', async () => {
    const node = `node -e "fetch('${URL_OF}/node').then((response) => response.text()).then(console.log)"`;
    const python = `python3 -c "import urllib.request as r; print(r.urlopen('${URL_OF}/python').read())"`;
    const { stdout, stderr, seen } = await guarded(`${node}; ${python}`);
    expect(stderr).toBe('');
    expect(stdout).toContain('{"ok":true}');
    expect(seen.map(({ path }) => path)).toEqual(['/node', '/python']);
    expect(seen.every(({ headers }) => headers.authorization === `Bearer ${VALUE}`)).toBe(true);
  });

  it('lets git push over https', async () => {
    const line = `git init -q . && git config user.email a@b && git config user.name a &&
      git commit -q --allow-empty -m one && git push -q ${URL_OF}/repository.git HEAD:main && git config -l`;
    const { stdout, stderr, exitCode, seen } = await guarded(
      line,
      `{ own: { ...CREDENTIAL, header: { authorization: 'Basic me:{}' } },
        allow: [{ ...RULE, paths: ['/repository.git/**'] }] }`,
    );
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(seen.some(({ method, path }) => method === 'POST' && path.endsWith('/git-receive-pack'))).toBe(
      true,
    );
    expect(stdout).not.toContain(VALUE);
  });

  it('lets npm ask a registry, whatever certificates its settings name', async () => {
    const { stdout, seen } = await inGuardedWorld<Guarded>(`
      process.env.npm_config_cafile = '/etc/hostname';
      const line = 'echo cafile=/etc/hostname > .npmrc; npm ping --cache /tmp/cache --registry ${URL_OF}/ 2>&1';
      report(await guarded(line));
    `);
    expect(stdout).toContain('PONG');
    expect(seen).toMatchObject([{ path: '/-/ping', headers: { authorization: `Bearer ${VALUE}` } }]);
  });

  it('lets npm publish, whose settings have a placeholder', async () => {
    const line = `echo '{"name":"a","version":"1.0.0"}' > package.json &&
      env -u npm_config_userconfig npm publish --cache /tmp/cache --registry ${URL_OF}/ 2>&1; cat ~/.npmrc`;
    const { stdout, seen } = await guarded(
      line,
      `{ own: { value: VALUE, files: { '~/.npmrc': '//registry.test:8443/:_authToken={}\\n' } } }`,
    );
    const put = seen.find(({ method }) => method === 'PUT');
    expect(put, stdout).toMatchObject({ path: '/a', headers: { authorization: `Bearer ${VALUE}` } });
    expect(stdout).toMatch(/_authToken=[a-z]{3}_[A-Za-z0-9]{20}\n$/);
    expect(stdout).not.toContain(VALUE);
  });
});
