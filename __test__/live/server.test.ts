import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { Live } from 'agent-bash/live';
import { afterEach, describe, expect, it } from 'vitest';
import { Jobs } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const runtime = mkdtempSync(join(temporaryDirectory(), 'runtime-'));
process.env.XDG_RUNTIME_DIR = runtime;

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Sends a request as any program could, with these headers alone. */
function ask(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { host: `127.0.0.1:${port}`, ...headers };
    const sent = send({ host: '127.0.0.1', port, path, method, headers: all, agent: false }, (response) => {
      let text = '';
      const answer = () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      response.on('data', (chunk) => {
        text += chunk;
        // A stream goes on.
        if (path === '/stream' && response.statusCode === 200 && text.includes('"hello"')) {
          answer();
          response.destroy();
        }
      });
      response.on('end', answer);
      response.on('error', () => {});
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** The live views of a test, which are closed at its end. */
const open: Live[] = [];

async function listening(options: ConstructorParameters<typeof Live>[0] = {}) {
  const live = new Live(options);
  open.push(live);
  const listens = await live.listen();
  const { port, hash } = new URL(listens.url);
  const bearer = { authorization: `Bearer ${hash.slice(1)}` };
  const viewer = { authorization: `Bearer ${new URL(listens.viewUrl).hash.slice(1)}` };
  return { live, listens, port: Number(port), bearer, viewer };
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((live) => live[Symbol.asyncDispose]()));
});

describe('the server of a live view', () => {
  it('listens on 127.0.0.1 alone, and gives the page without a token', async () => {
    const { port } = await listening();
    const { status, headers, body } = await ask(port, '/');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers['set-cookie']).toBeUndefined();
    expect(body).toContain('page.mjs');
    expect((await ask(port, '/component.mjs')).headers['content-type']).toContain('javascript');
    expect((await ask(port, '/nothing')).status).toBe(404);
    await expect(reached('127.0.0.2', port)).resolves.toBe(false);
  });

  it.each(['evil.example', 'evil.example:80', '127.0.0.1', '127.0.0.1:1'])(
    'refuses the host %j',
    async (host) => {
      const { port, bearer } = await listening();
      expect((await ask(port, '/', { headers: { host } })).status).toBe(421);
      expect((await ask(port, '/stream', { headers: { ...bearer, host } })).status).toBe(421);
    },
  );

  it('knows itself as localhost too', async () => {
    const { port, bearer } = await listening();
    expect((await ask(port, '/stream', { headers: { ...bearer, host: `localhost:${port}` } })).status).toBe(
      200,
    );
  });

  it.each(['http://evil.example', 'null', 'http://127.0.0.1:1', 'http://127.0.0.1'])(
    'refuses pages of the origin %s',
    async (origin) => {
      const { port, bearer } = await listening();
      const answer = await ask(port, '/stream', { headers: { ...bearer, origin } });
      expect(answer.status).toBe(403);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      const own = { origin: `http://127.0.0.1:${port}` };
      expect((await ask(port, '/stream', { headers: { ...bearer, ...own } })).status).toBe(200);
    },
  );

  it.each(['cross-site', 'same-site'])('refuses %s requests of browsers', async (site) => {
    const { port, bearer } = await listening();
    const headers = (value: string) => ({ ...bearer, 'sec-fetch-site': value });
    expect((await ask(port, '/', { headers: headers(site) })).status).toBe(403);
    expect((await ask(port, '/', { headers: headers('none') })).status).toBe(200);
  });

  it('answers no preflight', async () => {
    const { port } = await listening();
    for (const path of ['/send', '/stream']) {
      const answer = await ask(port, path, { method: 'OPTIONS' });
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([405, undefined]);
    }
  });

  it.each([undefined, 'Bearer', 'Bearer x', 'Basic eDp4', `Bearer ${'x'.repeat(43)}`])(
    'refuses the authorization %j',
    async (authorization) => {
      const { port } = await listening();
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      expect((await ask(port, '/stream', { headers })).status).toBe(401);
      expect((await ask(port, '/recordings.json', { headers })).status).toBe(401);
      const post = { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: '{}' };
      expect((await ask(port, '/send', post)).status).toBe(401);
    },
  );

  it('has the token in no URL that reaches it, and takes none from there', async () => {
    const { port, bearer } = await listening();
    const token = bearer.authorization.slice('Bearer '.length);
    expect((await ask(port, `/stream?token=${token}`)).status).toBe(401);
    expect((await ask(port, '/stream', { headers: { cookie: `token=${token}` } })).status).toBe(401);
  });

  it('takes JSON alone, of 64 KiB at most', async () => {
    const { port, bearer } = await listening();
    const post = (headers: Record<string, string>, body: string) =>
      ask(port, '/send', { method: 'POST', headers: { ...bearer, ...headers }, body });
    expect((await post({ 'content-type': 'text/plain' }, '{}')).status).toBe(415);
    expect((await post({ 'content-type': 'application/x-www-form-urlencoded' }, 'a=b')).status).toBe(415);
    expect((await post({}, '{}')).status).toBe(415);
    expect((await post(JSON_TYPE, JSON.stringify('x'.repeat(65_536)))).status).toBe(413);
    expect((await post(JSON_TYPE, JSON.stringify('x'.repeat(5_000_000)))).status).toBe(413);
    expect((await post(JSON_TYPE, '{')).status).toBe(400);
    expect((await post(JSON_TYPE, '[]')).status).toBe(400);
    expect((await post(JSON_TYPE, '{}')).status).toBe(404);
    expect((await ask(port, '/send', { headers: bearer })).status).toBe(405);
    expect(
      (await ask(port, '/stream', { method: 'POST', headers: { ...bearer, ...JSON_TYPE } })).status,
    ).toBe(405);
  });

  it('has 16 streams at most, and room again when one is closed', async () => {
    const { port, bearer } = await listening();
    const abort = new AbortController();
    const url = `http://127.0.0.1:${port}/stream`;
    const streams = await Promise.all(
      Array.from({ length: 16 }, () => fetch(url, { headers: bearer, signal: abort.signal })),
    );
    expect(streams.map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect((await ask(port, '/stream', { headers: bearer })).status).toBe(503);
    abort.abort();
    await expect
      .poll(async () => (await ask(port, '/stream', { headers: bearer })).status, { timeout: 20_000 })
      .toBe(200);
  });

  it('refuses what a page with the token of viewers may not do', async () => {
    const { live, port, bearer, viewer } = await listening({ control: 'all' });
    await using jobs = new Jobs();
    live.add(jobs);
    const job = jobs.start('read -r x; exit 7', { stdin: 'pipe' });
    const looks = await new Page(port, viewer).connected;
    const acts = await new Page(port, bearer).connected;
    expect(await looks.post({ type: 'kill', id: job.id })).toBe(403);
    expect(await looks.post({ type: 'input', id: job.id, text: '\n' })).toBe(403);
    // The stream of another page is no help.
    expect(await looks.post({ type: 'kill', id: job.id }, acts.viewer)).toBe(404);
    expect(await acts.post({ type: 'kill', id: 'job-0' })).toBe(404);
    expect(await acts.post({ type: 'nonsense' })).toBe(400);
    expect(await acts.post({ type: 'input', id: job.id, text: '\n' })).toBe(204);
    expect((await job.result).exitCode).toBe(7);
    expect(await acts.post({ type: 'kill', id: job.id })).toBe(409);
    looks.close();
    acts.close();
  });

  it('streams commands and the output of the followed one', async () => {
    const { live, port, viewer } = await listening();
    await using jobs = new Jobs();
    live.add(jobs);
    const job = jobs.start('echo hello');
    await job.result;
    const page = await new Page(port, viewer).connected;
    await page.post({ type: 'follow', id: job.id });
    await page.find(({ type }) => type === 'done');
    expect(page.messages.find(({ type }) => type === 'output')?.event.text).toBe('hello\n');
    page.close();
  });

  it('gives a token once for a code, and none for a wrong one', async () => {
    const { listens, port } = await listening();
    const { hash } = new URL(listens.openUrl());
    const code = hash.slice('#code='.length);
    const exchange = (given: unknown) =>
      ask(port, '/open', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ code: given }) });
    expect((await exchange(`${code}x`)).status).toBe(401);
    expect((await exchange(null)).status).toBe(401);
    const { status, body } = await exchange(code);
    expect([status, `#${JSON.parse(body).token}`]).toEqual([200, new URL(listens.url).hash]);
    expect((await exchange(code)).status).toBe(401);
  });

  it('is listed for this user alone, with the token of viewers, until it is closed', async () => {
    const { listens } = await listening({ title: 'mine' });
    const directory = join(runtime, 'agent-bash');
    const name = readdirSync(directory).find((each) => each.includes(new URL(listens.url).port)) ?? '';
    const text = readFileSync(join(directory, name), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ title: 'mine', pid: process.pid, url: listens.viewUrl });
    expect(text).not.toContain(new URL(listens.url).hash.slice(1));
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    await listens.close();
    await listens.close();
    expect(existsSync(join(directory, name))).toBe(false);
  });

  it('refuses a port in use, and a wrong one', async () => {
    const { live, port } = await listening();
    await expect(live.listen({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(live.listen({ port: 70_000 })).rejects.toThrow(/'options\.port'/);
    await expect(live.listen({ host: '::' } as object)).rejects.toThrow(/host/);
  });

  it('ends its streams when the live view is disposed of', async () => {
    const { live, port, viewer } = await listening();
    const page = await new Page(port, viewer).connected;
    await live[Symbol.asyncDispose]();
    await page.closed;
    // A connection that the client has kept is reset.
    const code = expect.stringMatching(/^ECONN(REFUSED|RESET)$/);
    await expect(ask(port, '/')).rejects.toMatchObject({ code });
    await expect(live.listen()).rejects.toThrow(/disposed/);
  });
});

describe('in a server of the caller', () => {
  it('answers by `node` under the names that it was given', async () => {
    const server = createServer((request, response) => live.node(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const live = new Live({ hosts: [`Agent.Example:${port}`] });
    open.push(live);
    const headers = { host: `agent.example:${port}`, authorization: `Bearer ${live.token}` };
    expect((await ask(port, '/')).status).toBe(421);
    expect((await ask(port, '/live/', { headers })).status).toBe(200);
    expect((await ask(port, '/stream', { headers })).status).toBe(200);
    server.closeAllConnections();
    server.close();
  });

  it('answers by `fetch`, and notices that a page has gone', async () => {
    const live = new Live({ hosts: ['agent.example'], control: 'approve' });
    open.push(live);
    const base = 'https://agent.example/live/';
    expect((await live.fetch(new Request('https://other.example/live/'))).status).toBe(421);
    expect((await live.fetch(new Request(base))).status).toBe(200);
    expect((await live.fetch(new Request(`${base}stream`))).status).toBe(401);
    const headers = { authorization: `Bearer ${live.token}`, origin: 'https://agent.example' };
    const response = await live.fetch(new Request(`${base}stream`, { headers }));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const text = new TextDecoder().decode((await reader.read()).value);
    expect(JSON.parse(text.split('\n')[0]).type).toBe('connected');
    await reader.cancel();
    const message = { viewer: JSON.parse(text.split('\n')[0]).viewer, message: { type: 'follow', id: null } };
    const post = { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(message) };
    expect((await live.fetch(new Request(`${base}send`, post))).status).toBe(404);
  });

  it('needs names, which it checks', async () => {
    const live = new Live();
    open.push(live);
    expect(() => live.fetch(new Request('http://localhost/'))).toThrow(/'options\.hosts'/);
    expect(() => new Live({ hosts: ['http://localhost/'] })).toThrow(/'options\.hosts'/);
    expect(() => new Live({ hosts: 'localhost' } as object)).toThrow(/'options\.hosts'/);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: messages of a protocol.
type Message = any;

/** A page over HTTP. */
class Page {
  readonly messages: Message[] = [];
  readonly connected: Promise<this>;
  closed: Promise<void> = Promise.resolve();
  viewer = '';
  #base: string;
  #headers: Record<string, string>;
  #abort = new AbortController();
  #onMessage: (() => void)[] = [];

  constructor(port: number, headers: Record<string, string>) {
    this.#base = `http://127.0.0.1:${port}/`;
    this.#headers = headers;
    this.connected = this.#connect();
  }

  async post(message: object, viewer = this.viewer): Promise<number> {
    const body = JSON.stringify({ viewer, message });
    const headers = { ...this.#headers, ...JSON_TYPE };
    return (await fetch(`${this.#base}send`, { method: 'POST', headers, body })).status;
  }

  async find(isWanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(isWanted);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#onMessage.push(resolve));
    }
  }

  close(): void {
    this.#abort.abort();
  }

  async #connect(): Promise<this> {
    const { signal } = this.#abort;
    const { body } = await fetch(`${this.#base}stream`, { headers: this.#headers, signal });
    this.closed = this.#read(body as ReadableStream<Uint8Array>).catch(() => {});
    await this.find(({ type }) => type === 'hello');
    return this;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const message = JSON.parse(line);
        if (message.type === 'connected') this.viewer = message.viewer;
        else this.messages.push(message);
      }
      for (const check of this.#onMessage.splice(0)) check();
    }
  }
}

function reached(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
