import { atOnce } from '../lib/work.mjs';

export const title = '64 × `true` at once';
export const metrics = ['ms', 'cpuEachMs', 'gapMs', 'rssMiB'];
export const limit = { batches: 5, width: 64, command: 'true' };

export async function measure(load) {
  return atOnce(await load(), { width: 64, batches: 5, command: 'true' });
}
