// The cost of a command to its host beside few others and beside many.

import { now, sleep } from './time.mjs';
import { warmUp } from './work.mjs';

/** The numbers of concurrent commands. */
export const SIZES = [50, 200, 500, 1000, 2000];

/** The time that commands have to end (ms). */
const REST_MS = 200;

/**
 * The processor time of the host for each command, for each size (ms); how much larger that is for the
 * largest size than for the smallest; and the time until the last command of the largest size has ended (ms).
 * */
export async function grown(peer) {
  await warmUp(peer);
  const values = {};
  for (const size of SIZES) {
    await sleep(REST_MS);
    const before = process.cpuUsage();
    const begin = now();
    await Promise.all(Array.from({ length: size }, () => peer.run('sleep 1')));
    values.ms = now() - begin;
    const { user, system } = process.cpuUsage(before);
    values[`cpuMs${size}`] = (user + system) / 1000 / size;
  }
  return { ...values, growth: values[`cpuMs${SIZES.at(-1)}`] / values[`cpuMs${SIZES.at(0)}`] };
}
