import { describe, expect, it } from 'vitest';
import { inWorld } from './world.js';

interface Result {
  stdout: string;
  refused: object[];
  requests: string[];
}

const refusal = (host: string, port = 80, reason = 'private-address') => ({
  kind: 'network',
  host,
  port,
  reason,
});

describe('a name that a command with allowed hosts uses', { tags: ['root', 'sandbox', 'curl'] }, () => {
  it('leads to an IPv6 address outside, with a proxy and without', async () => {
    const result = await inWorld<Result>(`
      const line = 'curl -sS http://six.test/a; ' + WITHOUT_PROXY + 'curl -sS http://six.test/b';
      const { stdout, sandbox } = await inside(line, ['six.test:80']);
      report({ stdout, refused: sandbox.refused, requests });
    `);
    expect(result.stdout).toBe('2600::5 six.test /a 0\n2600::5 six.test /b 0\n');
    expect(result.refused).toEqual([]);
  });

  it('leads to no private address, in whatever form of IPv6', async () => {
    const names = ['inner-six.test', 'mapped.test', 'translated.test'];
    const result = await inWorld<Result>(`
      const names = ${JSON.stringify(names)};
      const line = names.map((name) => 'curl -s http://' + name + '/; ').join('');
      const { stdout, sandbox } = await inside(line, names.map((name) => name + ':80'));
      report({ stdout, refused: sandbox.refused, requests });
    `);
    expect(result.refused).toEqual(names.map((name) => refusal(name)));
    expect(result.requests).toEqual([]);
  });

  it('is looked up once for each connection, so that no second answer counts', async () => {
    const result = await inWorld<Result & { asked: number }>(`
      let asked = 0;
      // As an attacker's name server: each second answer is an address of the network inside.
      await nameServer((name, isForAddress) => {
        if (name !== 'rebinding.test') return undefined;
        return isForAddress && asked++ % 2 === 1 ? PRIVATE : PUBLIC;
      });
      const line = 'for i in 1 2 3 4; do curl -s -o /dev/null http://rebinding.test/$i; done; ' + WITHOUT_PROXY +
        'for i in 5 6 7 8; do curl -s -o /dev/null http://rebinding.test/$i; done; true';
      const { stdout, sandbox } = await inside(line, ['rebinding.test:80']);
      report({ stdout, refused: sandbox.refused, requests, asked });
    `);
    expect(result.asked).toBe(8);
    expect(result.requests).toEqual(
      [1, 3, 5, 7].map((number) => `93.184.216.34 rebinding.test GET /${number}`),
    );
    expect(result.refused).toEqual([1, 2, 3, 4].map(() => refusal('rebinding.test')));
  });

  it('is not asked for outside unless it is listed', async () => {
    const names = await inWorld<string[]>(`
      const names = new Set();
      await nameServer((name) => {
        names.add(name);
        return PUBLIC;
      });
      const line = 'curl -s http://secret.elsewhere.test/; curl -s http://listed.test/; ' + WITHOUT_PROXY +
        'curl -s http://secret.elsewhere.test/; curl -s http://listed.test/; getent hosts other.test';
      await inside(line, ['listed.test:80']);
      report([...names]);
    `);
    expect(names).toEqual(['listed.test']);
  });
});
