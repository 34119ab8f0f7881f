// Measures the cost of a shell's start files, in cold and in warm shells.

import { sleep } from './time.mjs';
import { inARow, warmUp } from './work.mjs';

/** The shell whose login files are read. */
export const LOGIN_SHELL = ['/bin/bash', '-lc'];

/** The peers of these scenarios. */
export const PEERS = ['agent-bash-run', 'agent-bash-warm', 'child-process', 'pi-natives'];

/** The number of commands in a row, at most the number of warm shells (16): later commands would run cold. */
export const COUNT = 8;

/** Lets a peer with warm shells start them before the clock runs. */
export async function fewInARow(peer, readyMs) {
  await warmUp(peer);
  if (peer.prewarm) {
    peer.prewarm(COUNT);
    await sleep(readyMs);
  }
  return inARow(peer, COUNT);
}
