import { wakeUps } from '../lib/self.mjs';
import { sleep } from '../lib/time.mjs';

const JOBS = 50;

/** Long enough for what follows a start, and for a mean. */
const SETTLE_MS = 3000;
const MEASURE_MS = 10_000;

export const title = `${JOBS} × \`sleep 30\`: how often the host wakes up while it waits`;
export const metrics = ['wakeUps'];
export const peers = ['agent-bash-run', 'child-process'];
export const rounds = 2;

export async function measure(load) {
  const peer = await load();
  // The process ends before these commands do.
  for (let count = 0; count < JOBS; count++) peer.run('exec sleep 30').catch(() => {});
  await sleep(SETTLE_MS);
  const before = wakeUps();
  await sleep(MEASURE_MS);
  return { wakeUps: ((wakeUps() - before) * 1000) / MEASURE_MS };
}
