import { holdGibibyte } from '../lib/ballast.mjs';
import { atOnce } from '../lib/work.mjs';

export const title = '64 × `true` at once, 1 GiB in the host';
export const metrics = ['ms', 'cpuEachMs', 'gapMs'];
export const rounds = 2;

export async function measure(load) {
  const peer = await load();
  holdGibibyte();
  return atOnce(peer, { width: 64, batches: 1, command: 'true' });
}
