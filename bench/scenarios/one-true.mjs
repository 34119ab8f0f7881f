import { oneAfterAnother } from '../lib/work.mjs';

export const title = 'one `true` after another';
export const metrics = ['ms', 'cpuEachMs', 'callUs', 'gapMs'];
export const limit = { batches: 150, command: 'true' };

export async function measure(load) {
  return oneAfterAnother(await load(), 150);
}
