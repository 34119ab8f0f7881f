import { median } from '../lib/stats.mjs';
import { timed } from '../lib/time.mjs';

export const title = '`/bin/true` at a terminal, without a shell, each';
export const metrics = ['ms'];
export const peers = ['agent-bash-pty', 'node-pty'];

const COUNT = 200;

export async function measure(load) {
  const peer = await load();
  const times = [];
  for (let count = 0; count < COUNT; count++) times.push(await timed(() => peer.runProgram('/bin/true')));
  return { ms: median(times) };
}
