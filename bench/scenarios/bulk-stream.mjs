import { EMIT } from '../lib/places.mjs';
import { streamed } from '../lib/work.mjs';

const BYTES = 256 * 2 ** 20;
const COMMAND = `${EMIT} ascii ${BYTES} 65536`;

export const title = '256 MiB streamed in data events';
export const metrics = ['ms', 'callbacks', 'cpuMs', 'gapMs', 'rssMiB'];
export const also = ['agent-bash', 'node-pty'];
export const limit = { pipeSize: 2 ** 20, command: COMMAND };

export async function measure(load) {
  const peer = await load();
  return streamed(peer, (hear) => peer.start(COMMAND, hear).done, BYTES);
}
