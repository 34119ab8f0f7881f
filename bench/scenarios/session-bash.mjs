import { eachInSession } from '../lib/sessions.mjs';

export const title = '`:` in a live bash, each';
export const metrics = ['ms'];
export const peers = ['agent-bash-session', 'pi-natives'];

export async function measure(load) {
  return eachInSession(await load(), '/bin/bash');
}
