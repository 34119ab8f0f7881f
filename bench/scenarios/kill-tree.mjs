import { killed } from '../lib/killing.mjs';

export const title = 'kill() to the end, a tree';
export const metrics = ['ms', 'gapMs', 'left'];
export const rounds = 3;

const SILENT = '>/dev/null 2>&1 &';

export async function measure(load) {
  // The branches do not hold the output, or a peer that leaves them alive would have no end to measure. Each has its
  // redirections for itself: bash keeps the output open for what is below a group that has some.
  return killed(
    await load(),
    (time) =>
      `sleep ${time} ${SILENT} sleep ${time} ${SILENT} (sleep ${time} & sleep ${time} & wait) ${SILENT} echo up; wait`,
  );
}
