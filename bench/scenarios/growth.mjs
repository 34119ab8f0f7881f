import { grown, SIZES } from '../lib/growth.mjs';

export const title = `${SIZES.at(0)} to ${SIZES.at(-1)} × \`sleep 1\` at once`;
export const metrics = ['ms', ...SIZES.map((size) => `cpuMs${size}`), 'growth'];
// A library on top of another one grows as that one does.
export const peers = ['agent-bash-run', 'agent-bash-argv', 'child-process', 'bun-spawn'];

export async function measure(load) {
  return grown(await load());
}
