// Measures a port of a target beside `ssh -L`: many bytes in each direction, connections one after the other,
// and many at once.
//
//   npm run build && node bench/ports.mjs [--mib 1024] [--connections 1000] [--runs 3] [--trips 0,50]
//
// Starts a server of ssh on the loopback interface, with a delay of its bytes for each round trip (ms). Both
// ways are open all the time, and are measured in turn, so that a busy machine slows both. Prints medians.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Target } from '../entry/index.mjs';
import { freePort, startSshd } from './lib/sshd.mjs';
import { median } from './lib/stats.mjs';
import { sleep, timed } from './lib/time.mjs';

const SELF = fileURLToPath(import.meta.url);
const CHUNK = Buffer.alloc(65_536);
const ONE_BY_ONE = 50;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mib: { type: 'string', default: '1024' },
    connections: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '3' },
    trips: { type: 'string', default: '0,50' },
  },
});
const bytes = Number(values.mib) * 2 ** 20;

/** Writes many bytes, and ends. */
async function flood(socket) {
  for (let sent = 0; sent < bytes; sent += CHUNK.length) {
    if (!socket.write(CHUNK)) await once(socket, 'drain');
  }
  socket.end();
}

/** Serves by the first byte of a connection: sends one byte, sends many, or takes all and then sends one. */
function serve() {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', async (wish) => {
      if (wish[0] === 'g'.charCodeAt(0)) return flood(socket);
      if (wish[0] === 'p'.charCodeAt(0)) await once(socket, 'end');
      return socket.end('x');
    });
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => console.log(server.address().port));
}

/** Connects, sends the wish, and resolves with the number of bytes that came. */
async function ask(port, wish, more = async () => {}) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  socket.write(wish);
  let count = 0;
  socket.on('data', (chunk) => {
    count += chunk.length;
  });
  const ended = once(socket, 'end');
  await more(socket);
  await ended;
  socket.end();
  return count;
}

async function expectCount(promise, expected) {
  const count = await promise;
  if (count !== expected) throw new Error(`got ${count} bytes of ${expected}`);
}

const works = (connections) => ({
  [`${values.mib} MiB from there`]: (port) => expectCount(ask(port, 'g'), bytes),
  [`${values.mib} MiB to there`]: (port) => expectCount(ask(port, 'p', flood), 1),
  'a connection': async (port) => {
    for (let count = 0; count < ONE_BY_ONE; count++) await expectCount(ask(port, 'o'), 1);
  },
  [`${connections} connections at once`]: (port) =>
    Promise.all(Array.from({ length: connections }, () => expectCount(ask(port, 'o'), 1))),
});

/** Opens a port by `ssh -L`, and resolves when it answers. */
async function openBySsh(config, server) {
  const port = await freePort();
  const words = ['-F', config, '-N', '-o', 'ExitOnForwardFailure=yes', '-L', `${port}:127.0.0.1:${server}`];
  const ssh = spawn('ssh', [...words, 'box'], { stdio: ['ignore', 'ignore', 'inherit'] });
  while (!(await ask(port, 'o').catch(() => 0))) await sleep(50);
  return { port, stop: () => ssh.kill() };
}

async function measure(config, server, trip) {
  const target = new Target({ ssh: { host: 'box', config } });
  const ours = await target.forward(server);
  const other = await openBySsh(config, server);
  await ask(ours.port, 'o');
  for (const [name, work] of Object.entries(works(Number(values.connections)))) {
    const times = [[], []];
    for (let round = 0; round < Number(values.runs); round++) {
      for (const [index, { port }] of [ours, other].entries())
        times[index].push(await timed(() => work(port)));
    }
    const [own, ssh] = times.map(median).map((time) => (name === 'a connection' ? time / ONE_BY_ONE : time));
    console.log(
      `| ${name}, ${trip} ms | ${ssh.toFixed(1)} | ${own.toFixed(1)} | ${(own / ssh).toFixed(2)} |`,
    );
  }
  await target.dispose();
  other.stop();
}

if (positionals[0] === 'serve') {
  serve();
} else {
  const server = spawn(process.execPath, [SELF, 'serve', '--mib', values.mib], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = Number((await once(server.stdout, 'data'))[0]);
  const sshd = await startSshd();
  try {
    console.log('| ms | ssh -L | target | ratio |\n|---|---|---|---|');
    for (const trip of values.trips.split(',').map(Number))
      await measure(await sshd.config(trip), port, trip);
  } finally {
    sshd.stop();
    server.kill();
  }
}
