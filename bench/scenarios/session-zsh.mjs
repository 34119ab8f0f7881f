import { COUNT, eachInSession } from '../lib/sessions.mjs';
import { zsh } from '../lib/shell.mjs';

export const title = '`:` in a live zsh, each';
export const metrics = ['ms', 'engineMs'];
export const limit = { session: zsh, batches: COUNT };
export const peers = ['agent-bash-session'];

export async function measure(load) {
  return eachInSession(await load(), zsh);
}
