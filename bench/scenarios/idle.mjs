import { collectGarbage, descriptors, rss, threads } from '../lib/self.mjs';
import { sleep } from '../lib/time.mjs';

export const title = 'idle after one command: what was added';
export const metrics = ['rssMiB', 'importMiB', 'threads', 'fds'];
export const rounds = 2;

/** Long enough for idle threads to end. */
const REST_MS = 1300;

export async function measure(load) {
  // A first reading without a result, because the first one allocates memory.
  look();
  await sleep(50);
  const before = look();
  const peer = await load();
  const imported = look();
  await peer.run('true');
  await sleep(REST_MS);
  const after = look();
  return {
    rssMiB: after.rss - imported.rss,
    importMiB: imported.rss - before.rss,
    threads: after.threads - before.threads,
    fds: after.fds - before.fds,
  };
}

function look() {
  collectGarbage();
  return { rss: rss(), threads: threads(), fds: descriptors() };
}
