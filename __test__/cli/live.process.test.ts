import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { until } from '../support/processes.mjs';
import { CommandLine, commandLine, LineClient } from './support.js';

process.env.XDG_RUNTIME_DIR = mkdtempSync(join(temporaryDirectory(), 'runtime-'));
const root = temporaryDirectory();

/** Waits for the URL of a server on standard error. */
async function urlOf(client: CommandLine): Promise<URL> {
  const found = await until(() => /live view: (http\S+)\n/.exec(client.stderr), 'the URL');
  return new URL(found[1] as string);
}

/** Connects to a server, and collects its messages. */
async function pageOf(url: URL) {
  const authorization = `Bearer ${url.hash.slice(1)}`;
  const response = await fetch(new URL('stream', url), { headers: { authorization } });
  let text = '';
  const read = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
    }
  })().catch(() => {});
  const messages = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const find = (isWanted: (message: { type: string; event?: { type: string } }) => boolean) =>
    until(() => messages().find(isWanted), 'a message');
  const { viewer } = await find(({ type }) => type === 'connected');
  const post = (message: object) =>
    fetch(new URL('send', url), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ viewer, message }),
    });
  return { find, post, read };
}

describe('agent-bash mcp --live', () => {
  it('shows the calls of its client, is listed, and ends with its server', async () => {
    const client = new LineClient('--live', '--mode', 'auto', '--root', root);
    await client.initialize();
    const url = await urlOf(client);
    const page = await pageOf(url);
    await client.answer(client.call('echo hello'));
    const { event } = await page.find((message) => message.event?.type === 'start');
    expect(event.command).toBe('echo hello');
    const listed = await commandLine(['live', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ pid: client.process.pid }]);
    expect(listed.stdout).not.toContain(url.hash.slice(1));
    client.process.stdin?.end();
    expect((await client.ended).code).toBe(0);
    await page.read;
    expect((await commandLine(['live'])).stderr).toContain('No live view');
    expect(readdirSync(join(process.env.XDG_RUNTIME_DIR as string, 'agent-bash'))).toEqual([]);
  });

  it('lists no server that was killed', async () => {
    const client = new LineClient('--live', '--root', root);
    await urlOf(client);
    client.process.kill('SIGKILL');
    await client.ended;
    expect(JSON.parse((await commandLine(['live', '--json'])).stdout)).toEqual([]);
  });

  it('asks an open page with --live-control approve, and the client without one', async () => {
    const client = new LineClient('--live', '--live-control', 'approve', '--root', root);
    await client.initialize();
    const page = await pageOf(await urlOf(client));
    const call = client.call('touch made');
    const { question } = await page.find(({ type }) => type === 'asks');
    expect(question.command).toBe('touch made');
    await page.post({ type: 'answer', question: question.question, verdict: 'allow' });
    expect((await client.answer(call)).result.isError).toBe(false);
    expect(existsSync(join(root, 'made'))).toBe(true);
  });

  it('can only look by default', async () => {
    const client = new LineClient('--live', '--mode', 'auto', '--root', root);
    await client.initialize();
    const page = await pageOf(await urlOf(client));
    const call = client.call('echo begun; sleep 60');
    const { event } = await page.find((message) => message.event?.type === 'start');
    expect((await page.post({ type: 'kill', id: event.id })).status).toBe(403);
    client.send({ method: 'notifications/cancelled', params: { requestId: call } });
    await page.find((message) => message.event?.type === 'end');
  });

  it('refuses wrong options and a port in use', async () => {
    const wrong = await commandLine(['mcp', '--live-control', 'all']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--live-control needs --live')]);
    const client = new LineClient('--live', '--root', root);
    const { port } = await urlOf(client);
    const second = await commandLine(['mcp', '--live', '--live-port', port, '--root', root]);
    expect([second.code, second.stderr]).toEqual([
      2,
      expect.stringContaining(`--live-port ${port} is in use`),
    ]);
  });
});

describe('agent-bash live FILE', () => {
  it('gives the recording to who has the token, until it is interrupted', async () => {
    const file = join(root, 'x.cast');
    writeFileSync(file, '{"version":3,"term":{"cols":80,"rows":24}}\n[0.1,"o","hello"]\n[0.1,"o","cut');
    const line = new CommandLine(['live', file]);
    const url = new URL(await until(() => /^(http\S+)\n/.exec(line.stdout)?.[1], 'the URL'));
    const get = async (path: string, headers = {}) => (await fetch(new URL(path, url), { headers })).text();
    const headers = { authorization: `Bearer ${url.hash.slice(1)}` };
    expect(await get('recordings.json', headers)).toBe('["x.cast"]');
    expect(await get('0.cast', headers)).toContain('hello');
    expect(await get('0.cast')).not.toContain('hello');
    line.process.kill('SIGINT');
    expect((await line.ended).code).toBe(0);
  });

  it('refuses what is no recording', async () => {
    const empty = join(root, 'empty');
    mkdirSync(empty);
    for (const [path, message] of [
      [empty, 'has no file that ends with .cast'],
      [join(root, 'none.cast'), "can't read"],
    ]) {
      const { code, stderr } = await commandLine(['live', path as string]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message as string)]);
    }
  });
});
