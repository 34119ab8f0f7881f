import { holdGibibyte } from '../lib/ballast.mjs';
import { oneAfterAnother } from '../lib/work.mjs';

export const title = 'one `true` after another, 1 GiB in the host';
export const metrics = ['ms', 'cpuEachMs', 'callUs', 'gapMs'];
export const rounds = 3;

export async function measure(load) {
  const peer = await load();
  holdGibibyte();
  return oneAfterAnother(peer, 15);
}
