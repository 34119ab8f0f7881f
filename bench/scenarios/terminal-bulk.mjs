import { watchGaps } from '../lib/gap.mjs';
import { timed } from '../lib/time.mjs';

export const title = '256 MiB through a terminal (agent-bash with its screen)';
export const metrics = ['ms', 'gapMs', 'lost'];
export const peers = ['agent-bash-pty', 'node-pty'];
export const rounds = 2;

const MIB = 256;
const BYTES = MIB * 2 ** 20;

export async function measure(load) {
  const peer = await load();
  let length = 0;
  const hear = (text) => {
    length += text.length;
  };
  const command = `stty -opost; head -c ${BYTES} /dev/zero | tr '\\0' x`;
  const largestGap = await watchGaps();
  const ms = await timed(() => peer.start(command, hear).done);
  // node-pty loses what is in the terminal when the program exits.
  return { ms, gapMs: await largestGap(), lost: BYTES - length };
}
