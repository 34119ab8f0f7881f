import { EMIT } from '../lib/places.mjs';
import { streamed } from '../lib/work.mjs';

const COUNT = 200_000;
const COMMAND = `${EMIT} lines ${COUNT}`;
const LINE_LENGTH = 30;

export const title = '200,000 lines streamed';
export const metrics = ['ms', 'callbacks', 'cpuMs', 'gapMs', 'rssMiB'];
export const also = ['agent-bash', 'node-pty'];
export const limit = { pipeSize: 2 ** 20, command: COMMAND };

export async function measure(load) {
  const peer = await load();
  // A library with an iterator of lines uses it.
  const listen = (hear) => (peer.lines ? peer.lines(COMMAND, hear) : peer.start(COMMAND, hear).done);
  return streamed(peer, listen, COUNT * LINE_LENGTH);
}
