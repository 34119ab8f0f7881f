import { median } from '../lib/stats.mjs';
import { now } from '../lib/time.mjs';

export const title = 'a prompt at a terminal is reported, from the call';
export const metrics = ['ms'];
export const peers = ['agent-bash-session'];

const COUNT = 20;

export async function measure(load) {
  const peer = await load();
  const times = [];
  for (let count = 0; count < COUNT; count++) {
    const begin = now();
    times.push((await peer.untilWaiting('printf "Name: "; read name')) - begin);
  }
  return { ms: median(times) };
}
