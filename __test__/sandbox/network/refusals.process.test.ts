import { describe, expect, it } from 'vitest';
import { inWorld } from './world.js';

interface Result {
  stdout: string;
  refused: object[];
}

const network = (host: string, port: number, reason: string) => ({ kind: 'network', host, port, reason });

/** Runs a shell line with these hosts. */
function inside(line: string, allow: string[]): Promise<Result> {
  return inWorld(`
    const { stdout, sandbox } = await inside(${JSON.stringify(line)}, ${JSON.stringify(allow)});
    report({ stdout, refused: sandbox.refused });
  `);
}

const WITHOUT_PROXY =
  'unset HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY all_proxy NODE_USE_ENV_PROXY; ';
const code = "curl -s -o /dev/null -w '%{http_code} %{http_connect} %{exitcode}\\n' ";

describe('a command with allowed hosts', { tags: ['root', 'sandbox', 'curl', 'python3'] }, () => {
  it('reaches no other host, and is told so', async () => {
    const result = await inside(
      `curl -s http://evil.test/; ${code}https://evil.test/; ${code}http://registry.test:8080/`,
      ['registry.test:80', 'registry.test:443'],
    );
    expect(result).toEqual({
      stdout:
        'Refused by the sandbox: evil.test:80 (not in the list of allowed hosts).\n' +
        '000 403 56\n403 000 0\n',
      refused: [
        network('evil.test', 80, 'not-allowed'),
        network('evil.test', 443, 'not-allowed'),
        network('registry.test', 8080, 'not-allowed'),
      ],
    });
  });

  it('finds no other name, and no other port of a name, without a proxy', async () => {
    const result = await inside(
      `${WITHOUT_PROXY}${code}http://evil.test/; ${code}http://registry.test:8080/; ${code}http://93.184.216.34/`,
      ['registry.test:80'],
    );
    expect(result).toEqual({
      stdout: '000 000 6\n000 000 7\n000 000 7\n',
      refused: [
        { kind: 'name', host: 'evil.test' },
        network('registry.test', 8080, 'not-allowed'),
        network('93.184.216.34', 80, 'not-allowed'),
      ],
    });
  });

  it('counts each refused name once, listed or not, and not the name of its machine', async () => {
    const { refused, more } = await inWorld<{ refused: object[]; more: number }>(`
      const line = "hostname=$(uname -n); for n in 1 2; do getent ahosts $hostname;"
        + " for i in $(seq 150); do getent ahosts n$i.evil.test; done; done >/dev/null";
      const { sandbox } = await inside(line, ['registry.test:80']);
      report({ refused: sandbox.refused, more: sandbox.moreRefused });
    `);
    expect(refused).toEqual(
      Array.from({ length: 100 }, (_, index) => ({ kind: 'name', host: `n${index + 1}.evil.test` })),
    );
    expect(more).toBe(50);
  });

  it('reaches no port of one name that is listed for another one', async () => {
    const result = await inside(`${WITHOUT_PROXY}${code}http://registry.test:8080/`, [
      'registry.test:80',
      'a.wild.test:8080',
    ]);
    // The kernel accepts the connection before the engine refuses it. The reset of the engine may precede
    // curl's question whether it is connected (7), or its request (56).
    expect(result.stdout).toMatch(/^000 000 (7|52|56)\n$/);
    expect(result.refused).toEqual([network('registry.test', 8080, 'not-allowed')]);
  });

  it('reaches no private address by an allowed name, unless the address is allowed', async () => {
    const line = `${code}http://inner.test/; ${code}http://local.test/; ${WITHOUT_PROXY}${code}http://inner.test/`;
    const names = ['inner.test:80', 'local.test:80'];
    const refused = await inside(line, names);
    expect(refused.stdout).toMatch(/^403 000 0\n403 000 0\n000 000 (7|52|56)\n$/);
    expect(refused.refused).toEqual([
      network('inner.test', 80, 'private-address'),
      network('local.test', 80, 'private-address'),
      network('inner.test', 80, 'private-address'),
    ]);
    const allowed = await inside(line, [...names, '10.9.8.7:80', '127.0.0.1:80']);
    expect(allowed).toEqual({ stdout: '200 000 0\n200 000 0\n200 000 0\n', refused: [] });
  });

  it('connects to no address that is not listed, in whatever form', async () => {
    const addresses = ['10.9.8.7', '93.184.216.34', '127.0.0.1', '[::1]', '[::ffff:10.9.8.7]'];
    const strange = ['127.1', '2130706433', '0x7f000001', '0177.0.0.1', '[::]', 'registry.test@10.9.8.7'];
    const connect = (target: string) =>
      `exec 3<>/dev/tcp/198.18.0.1/80; printf 'CONNECT ${target}:80 HTTP/1.1\\r\\n\\r\\n' >&3; head -1 <&3; `;
    const result = await inside([...addresses, ...strange].map(connect).join(''), ['registry.test:80']);
    const lines = result.stdout.split('\r\n').filter((line) => line !== '');
    expect(lines.map((line) => line.split(' ')[1])).toEqual([
      ...addresses.map(() => '403'),
      '400',
      '400',
      '400',
      '400',
      '403',
      '400',
    ]);
    expect(result.refused).toHaveLength(6);
  });

  it('speaks SOCKS by name and by the addresses that it was given, and by no other', async () => {
    const result = await inside(
      `${code}-x socks5h://198.18.0.1:80 http://registry.test/; ${code}-x socks5://198.18.0.1:80 http://registry.test/; ` +
        `${code}-x socks5h://198.18.0.1:80 http://evil.test/; ${code}-x socks5h://198.18.0.1:80 http://10.9.8.7/; ` +
        `${code}-x socks4://198.18.0.1:80 http://registry.test/`,
      ['registry.test:80'],
    );
    expect(result.stdout).toBe('200 000 0\n200 000 0\n000 000 97\n000 000 97\n000 000 97\n');
    expect(result.refused).toEqual([
      network('evil.test', 80, 'not-allowed'),
      network('10.9.8.7', 80, 'not-allowed'),
    ]);
  });

  it('is not redirected to another host', async () => {
    const line = `${code}-L http://registry.test/redirect/10.9.8.7; ${WITHOUT_PROXY}${code}-L http://registry.test/redirect/10.9.8.7`;
    const result = await inside(line, ['registry.test:80']);
    expect(result.stdout).toBe('403 000 0\n302 000 7\n');
    expect(result.refused).toEqual([
      network('10.9.8.7', 80, 'not-allowed'),
      network('10.9.8.7', 80, 'not-allowed'),
    ]);
  });

  it('gains nothing from a name that changes its address', async () => {
    const result = await inWorld<Result & { requests: string[] }>(`
      const line = 'curl -s http://registry.test/; echo up; until [ -e changed ]; do sleep 0.05; done; ' +
        'curl -s http://registry.test/; ' + WITHOUT_PROXY + 'curl -s http://registry.test/';
      const { Jobs } = await import(process.env.INDEX);
      const jobs = new Jobs();
      const job = jobs.start(line, {
        root: ROOT, sandbox: { level: 'workspace-write', network: { allow: ['registry.test:80'] } },
      });
      await job.ready({ pattern: 'up' });
      setName('registry.test', PRIVATE);
      writeFileSync(ROOT + '/changed', '');
      const { stdout, sandbox } = await job.result;
      report({ stdout, refused: sandbox.refused, requests });
    `);
    expect(result.requests).toEqual(['93.184.216.34 registry.test GET /']);
    expect(result.refused).toEqual([
      network('registry.test', 80, 'private-address'),
      network('registry.test', 80, 'private-address'),
    ]);
  });

  it('smuggles no second request to a server', async () => {
    const send = (text: string) =>
      `exec 3<>/dev/tcp/198.18.0.1/80; printf '${text}' >&3; cat <&3 > /dev/null; `;
    const second = 'GET http://evil.test/second HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n';
    const first = (fields: string) => `POST http://registry.test/first HTTP/1.1\\r\\n${fields}\\r\\n`;
    const line = [
      first('') + second,
      `${first('Content-Length: 1\\r\\n')}x${second}`,
      `${first('Transfer-Encoding: chunked\\r\\n')}0\\r\\n\\r\\n${second}`,
      `${first('Transfer-Encoding: chunked\\r\\nContent-Length: 5\\r\\n')}0\\r\\n\\r\\n${second}`,
      `${first('Content-Length: 1\\r\\nContent-Length: 90\\r\\n')}x${second}`,
      `${first('Transfer-Encoding: chunked\\r\\n')}0\\n\\n${second}`,
      `GET http://registry.test/first HTTP/1.1\\nHost: evil.test\\n\\n${second}`,
    ].map(send);
    const requests = await inWorld<string[]>(`
      await inside(${JSON.stringify(line.join(''))}, ['registry.test:80']);
      report(requests);
    `);
    expect(
      requests.every((request) => request.includes(' registry.test ') && request.endsWith('/first')),
    ).toBe(true);
    expect(requests.length).toBeGreaterThanOrEqual(4);
  });

  it('sends no datagram, and opens no connection without connect()', async () => {
    const script = `
import socket
def attempt(what):
    try: what(); print('reached')
    except OSError as error: print(error.errno)
u = lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
attempt(lambda: u().sendto(b'x', ('93.184.216.34', 53)))
attempt(lambda: socket.socket().sendto(b'x', 0x20000000, ('93.184.216.34', 80)))
attempt(lambda: socket.socket(socket.AF_INET6).connect(('::ffff:93.184.216.34', 80)))
`;
    const result = await inWorld<Result>(`
      writeFileSync(ROOT + '/attempt.py', ${JSON.stringify(script)});
      const { stdout, sandbox } = await inside('python3 attempt.py', ['registry.test:80']);
      report({ stdout, refused: sandbox.refused });
    `);
    expect(result.stdout).not.toContain('reached');
    expect(result.refused).toEqual([network('93.184.216.34', 80, 'not-allowed')]);
  });
});
