import { COUNT, eachInSession } from '../lib/sessions.mjs';

export const title = '`:` in a live bash, each';
export const metrics = ['ms', 'engineMs'];
export const limit = { session: '/bin/bash', batches: COUNT };
export const peers = ['agent-bash-session', 'pi-natives'];

export async function measure(load) {
  return eachInSession(await load(), '/bin/bash');
}
