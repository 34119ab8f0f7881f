import { describe, expect, it } from 'vitest';
import { type Guarded, guarded, inGuardedWorld, VALUE } from './world.js';

const URL_OF = 'https://registry.test:8443';
const HOST = { host: 'registry.test', port: 8443 };
const WITHOUT_PROXY =
  'unset HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY all_proxy NODE_USE_ENV_PROXY; ';

describe('a host with rules', { tags: ['root', 'sandbox', 'curl'] }, () => {
  it('refuses other methods and paths, and says so', async () => {
    const line = `curl -sS ${URL_OF}/v1/a; curl -sS -X POST ${URL_OF}/v1/a; curl -sS ${URL_OF}/other`;
    const { stdout, refused, used, seen } = await guarded(
      line,
      `{ allow: [{ ...RULE, methods: ['GET'], paths: ['/v1/**'] }] }`,
    );
    expect(stdout.split('\n')).toEqual([
      '{"ok":true}',
      'Refused by the sandbox: POST /v1/a at registry.test:8443 (not in its rules).',
      'Refused by the sandbox: GET /other at registry.test:8443 (not in its rules).',
      '',
    ]);
    expect(refused).toEqual([
      { kind: 'request', ...HOST, method: 'POST', path: '/v1/a', reason: 'not-in-rules' },
      { kind: 'request', ...HOST, method: 'GET', path: '/other', reason: 'not-in-rules' },
    ]);
    expect(used).toEqual([{ credential: 'own', ...HOST, requests: 1 }]);
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['dot segments', '/v1/../other'],
    ['an encoded dot', '/v1/%2e%2e/other'],
    ['an encoded slash', '/v1%2fother'],
    ['two slashes', '//v1/a'],
  ])('refuses a path with %s', async (_, path) => {
    const { refused, seen } = await guarded(
      `curl -sS --path-as-is '${URL_OF}${path}'`,
      `{ allow: [{ ...RULE, paths: ['/v1/**'] }] }`,
    );
    expect(seen).toEqual([]);
    expect(refused).toMatchObject([{ kind: 'request', reason: 'ambiguous-path' }]);
  });

  it.each([
    ['another Host', `curl -sS --http1.1 -H 'Host: a.wild.test' ${URL_OF}/a`],
    ['another :authority', `curl -sS --http2 -H 'Host: a.wild.test' ${URL_OF}/a`],
    ['TRACE', `curl -sS -X TRACE ${URL_OF}/a`],
  ])('refuses %s', async (_, command) => {
    const { seen, refused } = await guarded(command);
    expect(seen).toEqual([]);
    expect(refused).toMatchObject([{ kind: 'request' }]);
  });

  it('refuses a handshake for another name', async () => {
    const { seen, exitCode, refused } = await guarded(
      `curl -sS --connect-to a.wild.test:8443:registry.test:8443 https://a.wild.test:8443/a`,
    );
    expect(exitCode).not.toBe(0);
    expect(seen).toEqual([]);
    expect(refused).toEqual([{ kind: 'network', ...HOST, reason: 'other-name' }]);
  });

  it('gets no credential without TLS, unless that is permitted', async () => {
    const plain = `curl -sS http://registry.test:8081/a`;
    const refused = await guarded(plain, `{ allow: [{ ...RULE, host: 'registry.test:8081' }] }`);
    expect(refused.seen).toEqual([]);
    expect(refused.refused).toMatchObject([{ kind: 'request', reason: 'not-encrypted' }]);
    const permitted = await guarded(
      plain,
      `{ allow: [{ ...RULE, host: 'registry.test:8081', plain: true }] }`,
    );
    expect(permitted.seen).toMatchObject([{ headers: { authorization: `Bearer ${VALUE}` } }]);
  });

  it.each([
    ['an address that the command has chosen', `curl -sS --resolve registry.test:8443:93.184.216.35`],
    ['its address', `curl -sSk --connect-to ::93.184.216.34:8443`],
    ['a private address', `curl -sS --resolve registry.test:8443:10.9.8.7`],
  ])('is not reached without the proxy at %s', async (_, client) => {
    const { seen, exitCode, used } = await guarded(`${WITHOUT_PROXY} ${client} ${URL_OF}/a`);
    expect(exitCode).not.toBe(0);
    expect({ seen, used }).toEqual({ seen: [], used: [] });
  });

  it('is not reached once its name leads to a private address', async () => {
    const [first, second] = await inGuardedWorld<Guarded[]>(`
      const first = await guarded('curl -sS ${URL_OF}/a');
      setName('registry.test', PRIVATE);
      report([first, await guarded('curl -sS ${URL_OF}/a')]);
    `);
    expect(first?.seen).toHaveLength(1);
    expect(second?.seen).toEqual([]);
    expect(second?.refused).toMatchObject([{ kind: 'network', host: 'registry.test' }]);
  });

  it('is not reached where its certificate is not valid', async () => {
    // The server at port 443 has a certificate of nobody.
    const { stdout, used } = await guarded(
      `curl -sS https://registry.test/a`,
      `{ allow: [{ ...RULE, host: 'registry.test' }] }`,
    );
    expect(stdout).toMatch(/^registry\\.test's certificate is not valid: |certificate is not valid/);
    expect(used).toEqual([]);
  });

  it('is not reached where it has the certificate of an authority, which the answer explains', async () => {
    const { stdout } = await inGuardedWorld<Guarded>(`
      process.env.NODE_EXTRA_CA_CERTS = process.env.WORLD + '/project/cert.pem';
      report(await guarded('curl -sS https://registry.test/a', { allow: [{ ...RULE, host: 'registry.test' }] }));
    `);
    expect(stdout).toContain(
      "certificate is not valid: it is the one of an authority, and can't be that of a server",
    );
  });

  it('masks a value that a response repeats, and refuses a compressed one', async () => {
    const { stdout, seen } = await guarded(`curl -sSi --http1.1 ${URL_OF}/echo; curl -sS ${URL_OF}/gzip`);
    expect(seen).toHaveLength(2);
    expect(stdout).not.toContain(VALUE);
    expect(stdout).not.toContain(Buffer.from(VALUE).toString('base64'));
    expect(stdout).toContain(`Bearer ${'*'.repeat(VALUE.length)}`);
    expect(stdout).toContain("The response is compressed, so it can't be searched.");
  });

  it('sets no header at other hosts, in bodies and in queries', async () => {
    const line = `curl -sS -H "x-a: $OWN_TOKEN" -d "$OWN_TOKEN" "${URL_OF}/a?b=$OWN_TOKEN";
      curl -sS -H "authorization: Bearer $OWN_TOKEN" http://registry.test:8081/b`;
    const { seen } = await guarded(line, `{ allow: [RULE, 'registry.test:8081'] }`);
    expect(seen).toHaveLength(2);
    const [first, second] = seen;
    const others = { ...first, headers: { ...first?.headers, authorization: '' }, rawHeaders: [] };
    expect(JSON.stringify(others)).not.toContain(VALUE);
    expect(JSON.stringify(second)).not.toContain(VALUE);
  });

  it('sends no value along with a redirect, and serves no address of its name', async () => {
    const line = `curl -sSL -H "authorization: Bearer $OWN_TOKEN" ${URL_OF}/redirect;
      curl -skS https://93.184.216.34:8443/a`;
    const { seen, refused } = await guarded(line, `{ allow: [RULE, 'registry.test:8081'] }`);
    expect(seen.map(({ path }) => path)).toEqual(['/redirect', '/b']);
    expect(JSON.stringify(seen[1])).not.toContain(VALUE);
    expect(refused).toEqual([{ kind: 'network', host: '93.184.216.34', port: 8443, reason: 'not-allowed' }]);
  });

  it('masks a value that two events of a stream share', async () => {
    const { stdout } = await guarded(`curl -sSN ${URL_OF}/events`);
    expect(stdout).toBe(`data: Bearer ${'*'.repeat(VALUE.length)}\n\n`);
  });

  it('asks a function for a value when it is needed, and again after a 401', async () => {
    const { calls, results } = await inGuardedWorld<{ calls: number; results: Guarded[] }>(`
      let calls = 0;
      accepted.clear();
      accepted.add('value-2-of-a-function');
      const own = { value: async () => \`value-\${++calls}-of-a-function\`, env: ['OWN_TOKEN'] };
      const line = 'curl -sS ${URL_OF}/a';
      const results = [];
      for (let count = 0; count < 3; count += 1) results.push(await guarded(line, { own }));
      report({ calls, results });
    `);
    expect(results.map(({ stdout }) => stdout)).toEqual(['no\n', '{"ok":true}\n', '{"ok":true}\n']);
    expect(calls).toBe(2);
  });

  it('answers that there is no value, where the function fails', async () => {
    const { result, warnings } = await inGuardedWorld<{ result: Guarded; warnings: object[] }>(`
      const warnings = [];
      process.on('warning', ({ code, message }) => warnings.push({ code, message }));
      const own = { value: () => { throw new Error('not signed in as the-host-alone-knows'); } };
      const result = await guarded('curl -sS ${URL_OF}/a', { own });
      report({ result, warnings });
    `);
    expect(result.stdout).toBe("The credential 'own' has no value: its function failed.\n");
    expect(result.seen).toEqual([]);
    expect(warnings).toEqual([
      {
        code: 'CREDENTIAL_FAILED',
        message: "The function of the credential 'own' has failed: not signed in as the-host-alone-knows",
      },
    ]);
  });

  it('uses no value of a function that a mark contains, as no output could be redacted', async () => {
    const [first, second] = await inGuardedWorld<Guarded[]>(`
      const own = { value: () => 'redacted' };
      report([await guarded('curl -sS ${URL_OF}/a', { own }), await guarded('echo second', { own })]);
    `);
    expect(first?.seen).toEqual([]);
    expect(second?.stdout).toBe('second\n');
  });

  it('serves the next command after a function gave a value beside as many bytes as are permitted', async () => {
    const [first, second] = await inGuardedWorld<Guarded[]>(`
      const digits = [...'01234567'];
      const others = Object.fromEntries(digits.map((digit) => ['n' + digit, digit.repeat(8192)]));
      const credentials = { own: { value: () => VALUE }, ...others };
      const hosts = Object.keys(others).map((credential) => ({ host: credential + '.test', credential }));
      const more = { allow: [RULE, ...hosts], credentials };
      report([await guarded('curl -sS ${URL_OF}/a', more), await guarded('echo ' + VALUE, more)]);
    `);
    expect(first?.stdout).toBe('{"ok":true}\n');
    expect(second?.stdout).toBe('[redacted:own]\n');
  });

  it('is closed when the interceptor dies, and open to the next command', async () => {
    const { first, second } = await inGuardedWorld<{ first: Guarded; second: Guarded }>(`
      import { execFileSync } from 'node:child_process';
      const own = CREDENTIAL;
      await guarded('true');
      const pids = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'agent-bash-interceptor'])
        .toString().trim().split('\\n').map(Number);
      const line = 'touch started; while [ ! -e killed ]; do read -t 0.05 x < <(:) ; done; curl -sS ${URL_OF}/a';
      const running = guarded(line);
      while (!(await import('node:fs')).existsSync(ROOT + '/started')) await new Promise(setImmediate);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      (await import('node:fs')).writeFileSync(ROOT + '/killed', '');
      const first = await running;
      const second = await guarded('curl -sS ${URL_OF}/a');
      report({ first, second });
    `);
    expect(first.seen).toEqual([]);
    expect(first.exitCode).not.toBe(0);
    expect(second.stdout).toBe('{"ok":true}\n');
  });
});
