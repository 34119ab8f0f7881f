// What the start files of a shell cost, and what is left of that when the shell was started ahead.

import { sleep } from './time.mjs';
import { inARow, warmUp } from './work.mjs';

/** The shell whose login files are read. */
export const LOGIN_SHELL = ['/bin/bash', '-lc'];

/** Who has something to say about it. */
export const PEERS = ['agent-bash', 'agent-bash-run', 'agent-bash-warm', 'child-process', 'pi-natives'];

/** How many commands there are in a row: not more than shells can wait (16), or the last would be measured cold. */
export const COUNT = 8;

/** A peer that can start shells ahead does so and gets the time for it. The others need none. */
export async function fewInARow(peer, readyMs) {
  await warmUp(peer);
  if (peer.prewarm) {
    peer.prewarm(COUNT);
    await sleep(readyMs);
  }
  return inARow(peer, COUNT);
}
