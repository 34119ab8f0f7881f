import { atOnce } from '../lib/work.mjs';

export const title = '500 × `sleep 0.2` at once';
export const metrics = ['ms', 'cpuEachMs', 'gapMs', 'rssMiB'];
export const limit = { width: 500, command: 'sleep 0.2' };
export const rounds = 3;

export async function measure(load) {
  return atOnce(await load(), { width: 500, batches: 1, command: 'sleep 0.2' });
}
