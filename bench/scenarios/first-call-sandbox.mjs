import { addedTime } from '../lib/fresh.mjs';
import { BARE, FIRST } from '../lib/places.mjs';

export const title = 'a process for one command in a sandbox, less a bare one';
export const metrics = ['ms'];
export const peers = ['agent-bash-sandbox'];

export async function measure(_load, peerFile) {
  return { ms: addedTime([BARE], [FIRST, peerFile]) };
}
