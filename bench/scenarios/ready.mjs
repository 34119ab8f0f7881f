import { median } from '../lib/stats.mjs';

export const title = 'a server is reported ready, after its listen()';
export const metrics = ['ms'];
export const peers = ['agent-bash-session'];

const COUNT = 10;

/** A server that says when it listens, on the clock of all processes. */
const SERVER =
  "require('http').createServer().listen(0, '127.0.0.1', () => console.log('at', performance.timeOrigin + performance.now()))";

export async function measure(load) {
  const peer = await load();
  const times = [];
  for (let count = 0; count < COUNT; count++)
    times.push(await peer.untilReady([process.execPath, '-e', SERVER]));
  return { ms: median(times) };
}
