import { EMIT } from '../lib/places.mjs';
import { oneString } from '../lib/work.mjs';

const COMMAND = `${EMIT} ascii ${256 * 2 ** 20} 65536`;

export const title = '256 MiB of ASCII as one string';
export const metrics = ['ms', 'gapMs', 'rssMiB'];
export const also = ['agent-bash'];
export const limit = { pipeSize: 2 ** 20, command: COMMAND };

export async function measure(load) {
  return oneString(await load(), COMMAND, 'aaa');
}
