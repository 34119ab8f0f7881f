import { addedTime } from '../lib/fresh.mjs';
import { BARE_CJS, FIRST_CJS } from '../lib/places.mjs';
import { flag, shell } from '../lib/shell.mjs';

export const title = 'a process for one command, CommonJS, less a bare one';
export const metrics = ['ms'];
// The other libraries are ES modules.
export const peers = ['agent-bash-run', 'child-process'];

export async function measure(_load, peerFile) {
  const peer = peerFile.replace('/peers/', '/lib/first/').replace(/mjs$/, 'cjs');
  return { ms: addedTime([BARE_CJS], [FIRST_CJS, peer, shell, flag]) };
}
