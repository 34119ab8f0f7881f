import { COUNT, eachInSession } from '../lib/sessions.mjs';

export const title = '`:` in a live zsh, each';
export const metrics = ['ms', 'engineMs'];
export const limit = { session: '/bin/zsh', batches: COUNT };
export const peers = ['agent-bash-session'];

export async function measure(load) {
  return eachInSession(await load(), '/bin/zsh');
}
