import { fileURLToPath } from 'node:url';

function inBench(path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

export const BENCH = inBench('');

/** Cargo's folder: git ignores it already. */
export const BUILD = inBench('../target/bench');

/** The files that `--publish` writes. */
export const RESULTS = inBench('results.json');
export const PAGE = inBench('../docs/performance.md');
export const PICTURE = inBench('../docs/performance.svg');
export const GROWTH_PICTURE = inBench('../docs/growth.svg');

export const LIMIT = `${BUILD}/limit`;
export const SESSION_LIMIT = `${BUILD}/session-limit`;
export const EMIT = `${BUILD}/emit`;
export const WORKER = inBench('lib/worker.mjs');
export const BARE = inBench('lib/first/bare.mjs');
export const FIRST = inBench('lib/first/call.mjs');
export const BARE_CJS = inBench('lib/first/bare.cjs');
export const FIRST_CJS = inBench('lib/first/call.cjs');

export function peerFile(name) {
  return inBench(`peers/${name}.mjs`);
}

export function scenarioFile(name) {
  return inBench(`scenarios/${name}.mjs`);
}
