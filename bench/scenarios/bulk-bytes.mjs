import { EMIT } from '../lib/places.mjs';
import { streamed } from '../lib/work.mjs';

const BYTES = 256 * 2 ** 20;
const COMMAND = `${EMIT} ascii ${BYTES} 65536`;

export const title = '256 MiB streamed as bytes';
export const metrics = ['ms', 'callbacks', 'cpuMs', 'gapMs', 'rssMiB'];
export const peers = ['agent-bash-run', 'child-process', 'bun-spawn'];
export const limit = { pipeSize: 2 ** 20, command: COMMAND };

export async function measure(load) {
  const peer = await load();
  return streamed(peer, (hear) => peer.startBytes(COMMAND, hear).done, BYTES);
}
