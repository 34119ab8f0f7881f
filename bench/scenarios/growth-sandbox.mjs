import { now } from '../lib/time.mjs';
import { warmUp } from '../lib/work.mjs';

const FEW = 50;
const MANY = 2000;

export const title = `${FEW} to ${MANY} × \`true\` at once in a sandbox, each`;
export const metrics = ['ms', 'growth'];
export const peers = ['agent-bash-sandbox'];
export const rounds = 2;

export async function measure(load) {
  const peer = await load();
  await warmUp(peer);
  const few = await each(peer, FEW);
  const ms = await each(peer, MANY);
  return { ms, growth: ms / few };
}

async function each(peer, count) {
  const begin = now();
  await Promise.all(Array.from({ length: count }, () => peer.run('true')));
  return (now() - begin) / count;
}
