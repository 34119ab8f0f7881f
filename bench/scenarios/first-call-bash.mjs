import { addedTime } from '../lib/fresh.mjs';
import { BARE_CJS, FIRST_CJS } from '../lib/places.mjs';
import { SHELL_OF_BASH } from '../lib/shell.mjs';

export const title = 'a process for one command by bash(), less a bare one';
export const metrics = ['ms'];
export const peers = ['agent-bash', 'child-process'];

export async function measure(_load, peerFile) {
  const peer = peerFile.replace('/peers/', '/lib/first/').replace(/mjs$/, 'cjs');
  return { ms: addedTime([BARE_CJS], [FIRST_CJS, peer, ...SHELL_OF_BASH]) };
}
