// Measures commands in a live shell.

import { median } from './stats.mjs';
import { timed } from './time.mjs';

const WARM_UP = 200;
const COUNT = 2_000;

/** Returns how long a builtin takes in a live shell, from the call to the result. */
export async function eachInSession(peer, shell) {
  const session = await peer.openSession(shell);
  const times = [];
  for (let count = 0; count < WARM_UP; count++) await session.run(':');
  for (let count = 0; count < COUNT; count++) times.push(await timed(() => session.run(':')));
  await session.close();
  return { ms: median(times) };
}
