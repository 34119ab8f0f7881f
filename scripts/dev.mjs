// Builds what is stale now, and again as files of lib/ and src/ change: `npm run dev`.

import { watch } from 'node:fs';
import { join } from 'node:path';
import { build, ROOT } from './stale.mjs';

/** The quiet time before a build (ms): an editor writes several files at once. */
const QUIET_MS = 200;

function attempt() {
  try {
    if (build()) console.log('Built. Waiting for changes in lib/ and src/ (Ctrl-C ends it).');
  } catch (error) {
    console.error(`${error.message}\nWaiting for the next change.`);
  }
}

let timer;
for (const folder of ['lib', 'src']) {
  watch(join(ROOT, folder), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(attempt, QUIET_MS);
  });
}
attempt();
console.log('Waiting for changes in lib/ and src/ (Ctrl-C ends it).');
