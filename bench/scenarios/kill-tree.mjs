import { killed } from '../lib/killing.mjs';

export const title = 'kill() to the end, a tree';
export const metrics = ['ms', 'gapMs', 'left'];
export const rounds = 3;

export async function measure(load) {
  // The branches do not hold the output, or a peer that leaves them alive would have no end to measure.
  return killed(
    await load(),
    (time) =>
      `{ sleep ${time} & sleep ${time} & (sleep ${time} & sleep ${time} & wait) & } >/dev/null 2>&1; echo up; wait`,
  );
}
