import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server of git over HTTP that lets one user list a branch. `seen` has the authorizations it was sent. */
export async function gitServer(user: string, password: string): Promise<{ url: string; seen: unknown[] }> {
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const seen: unknown[] = [];
  const server = createServer(({ headers, url }, response) => {
    seen.push(headers.authorization);
    const isKnown = headers.authorization === expected;
    const refs = `${'0123456789'.repeat(4)}\trefs/heads/main\n`;
    response.writeHead(isKnown ? 200 : 401, isKnown ? {} : { 'www-authenticate': 'Basic realm="here"' });
    response.end(isKnown && url?.includes('info/refs') ? refs : '');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
}
