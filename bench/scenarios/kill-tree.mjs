import { killed } from '../lib/killing.mjs';

export const title = 'kill() to the end, a tree';
export const metrics = ['ms', 'gapMs', 'left'];
export const rounds = 3;

const SILENT = '>/dev/null 2>&1 &';

export async function measure(load) {
  // The branches do not hold the output; otherwise a peer that leaves them alive would have no end to
  // measure. Each branch has its own redirections, because bash keeps the output open below a redirected
  // group.
  return killed(
    await load(),
    (time) =>
      `sleep ${time} ${SILENT} sleep ${time} ${SILENT} (sleep ${time} & sleep ${time} & wait) ${SILENT} echo up; wait`,
  );
}
