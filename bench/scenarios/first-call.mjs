import { addedTime } from '../lib/fresh.mjs';
import { BARE, FIRST } from '../lib/places.mjs';

export const title = 'a process for one command, less a bare one';
export const metrics = ['ms'];

export async function measure(_load, peerFile) {
  return { ms: addedTime([BARE], [FIRST, peerFile]) };
}
