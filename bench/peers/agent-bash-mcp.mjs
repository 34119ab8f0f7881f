// The MCP server, called over standard input and output as a client calls it. It is measured only beside
// run().

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { shell } from '../lib/shell.mjs';

const CLI = fileURLToPath(new URL('../../entry/cli.js', import.meta.url));

/** Starts a server. Returns a function that sends a request and waits for its result. */
export function serve(
  server = spawn(process.execPath, [CLI, 'mcp', '--mode', 'auto', '--shell', shell], STDIO),
) {
  const waiting = new Map();
  createInterface({ input: server.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    // This process ends when it waits for no answer, and then the server does.
    if (waiting.size === 0) server.stdout.unref();
    if (error) reject(new Error(error.message));
    else resolve(result);
  });
  let last = 0;
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      server.stdout.ref();
      waiting.set(last, { resolve, reject });
      send({ id: last, method, params });
    });
  return { server, send, request };
}

/** The first message of a client. */
export const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

const STDIO = { stdio: ['pipe', 'pipe', 'inherit'] };

let connected;

async function connect() {
  const { server, send, request } = serve();
  server.unref();
  server.stdin.unref();
  await request('initialize', HELLO);
  send({ method: 'notifications/initialized' });
  return request;
}

export async function run(command) {
  connected ??= connect();
  const request = await connected;
  const { content } = await request('tools/call', { name: 'bash', arguments: { command } });
  return content[0].text;
}
