// Measures a connection through the list of allowed hosts, beside one on the loopback of a sandbox without a
// network.
//
//   npm run build && node bench/network.mjs
//
// The same client runs in both sandboxes. Its server is beside it at `network: 'off'`, and on an address of
// this machine at `network: { allow }`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../entry/index.mjs';
import { median } from './lib/stats.mjs';
import { timed } from './lib/time.mjs';

const SELF = fileURLToPath(import.meta.url);
const CONNECTIONS = 300;
const BYTES = 256 * 2 ** 20;
const CHUNK = Buffer.alloc(65_536);

/** Sends one byte to a client that asks for one, and 256 MiB to one that asks for all. */
async function serve(address) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', async (wish) => {
      if (wish.toString() === 'one') return socket.end('x');
      for (let sent = 0; sent < BYTES; sent += CHUNK.length) {
        if (!socket.write(CHUNK)) await once(socket, 'drain');
      }
      socket.end();
    });
  });
  server.listen(0, address);
  await once(server, 'listening');
  console.log(server.address().port);
}

/** Starts a server in a process of its own. */
async function startServer(address) {
  const server = spawn(process.execPath, [SELF, '--serve', address], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(server.stdout, 'data');
  return { port: Number(port), stop: () => server.kill() };
}

async function ask(address, port, wish) {
  const socket = connect(port, address);
  socket.write(wish);
  let count = 0;
  for await (const chunk of socket) count += chunk.length;
  return count;
}

/** Measures from inside of a sandbox, and prints the result. */
async function measure(address, port) {
  const times = [];
  for (let count = 0; count < CONNECTIONS; count++) times.push(await timed(() => ask(address, port, 'one')));
  let bytes = 0;
  const copied = await timed(async () => {
    bytes = await ask(address, port, 'all');
  });
  if (bytes !== BYTES) throw new Error(`got ${bytes} bytes`);
  console.log(JSON.stringify({ connection: median(times), copied }));
}

async function inSandbox(words, network, root) {
  const command = [process.execPath, SELF, ...words];
  const { exitCode, stdout, stderr } = await run(command, { root, sandbox: { level: 'read-only', network } });
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const [role, ...words] = process.argv.slice(2);
if (role === '--connect') {
  await measure(words[0], Number(words[1]));
} else if (role === '--serve') {
  await serve(words[0]);
} else if (role === '--both') {
  const { port, stop } = await startServer('127.0.0.1');
  await measure('127.0.0.1', port);
  stop();
} else {
  const own = Object.values(networkInterfaces()).flat();
  const address = own.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (address === undefined) throw new Error('This machine has no address besides loopback');
  const { port, stop } = await startServer(address);
  const root = mkdtempSync(join(tmpdir(), 'agent-bash-bench-'));
  console.log('| | a connection, ms | 256 MiB, ms |\n|---|---|---|');
  try {
    for (const [name, more, network] of [
      ["`'off'`", ['--both'], 'off'],
      ['`{ allow }`', ['--connect', address, `${port}`], { allow: [`${address}:${port}`] }],
    ]) {
      const { connection, copied } = await inSandbox(more, network, root);
      console.log(`| ${name} | ${connection.toFixed(2)} | ${copied.toFixed(0)} |`);
    }
  } finally {
    stop();
    rmSync(root, { recursive: true, force: true });
  }
}
