// Builds what is stale now, and again as files of lib/ and src/ change: `npm run dev`.

import { watch } from 'node:fs';
import { join } from 'node:path';
import { build, ROOT } from './stale.mjs';

/** The quiet time before a build (ms): an editor writes several files at once. */
const QUIET_MS = 200;

let timer;
let isBuilding = false;
let isOutdated = false;

/** Builds what is stale. A change during a build starts another one after it. */
async function attempt() {
  isOutdated = isBuilding;
  if (isBuilding) return;
  isBuilding = true;
  try {
    if (await build()) console.log('Built.');
  } catch (error) {
    console.error(error.message);
  }
  isBuilding = false;
  if (isOutdated) return attempt();
  console.log('Waiting for changes in lib/ and src/ (Ctrl-C ends it).');
}

for (const folder of ['lib', 'src']) {
  watch(join(ROOT, folder), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(attempt, QUIET_MS);
  });
}
await attempt();
