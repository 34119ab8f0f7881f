import { COUNT, eachInSession } from '../lib/sessions.mjs';

export const title = '`:` in a live dash, each';
export const metrics = ['ms', 'engineMs'];
export const limit = { session: '/bin/dash', batches: COUNT };
export const peers = ['agent-bash-session'];

export async function measure(load) {
  return eachInSession(await load(), '/bin/dash');
}
