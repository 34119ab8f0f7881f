// Measures commands in a live shell.

import { median } from './stats.mjs';
import { timed } from './time.mjs';

const WARM_UP = 200;
export const COUNT = 2_000;

/**
 * Returns how long a builtin takes in a live shell: from the call to the result, and by the engine's clock.
 */
export async function eachInSession(peer, shell) {
  const session = await peer.openSession(shell);
  const times = [];
  for (let count = 0; count < WARM_UP; count++) await session.run(':');
  const durations = [];
  for (let count = 0; count < COUNT; count++) {
    times.push(
      await timed(async () => {
        const { durationMs } = await session.run(':');
        if (durationMs !== undefined) durations.push(durationMs);
      }),
    );
  }
  await session.close();
  return { ms: median(times), ...(durations.length > 0 && { engineMs: median(durations) }) };
}
