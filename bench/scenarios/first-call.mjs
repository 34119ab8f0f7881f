import { spawnSync } from 'node:child_process';
import { BARE, FIRST } from '../lib/places.mjs';
import { median } from '../lib/stats.mjs';
import { now } from '../lib/time.mjs';

export const title = 'a process for one command, less a bare one';
export const metrics = ['ms'];

const REPEATS = 5;

export async function measure(_load, peerFile) {
  const added = [];
  // In turns, so that whatever slows the machine slows both.
  for (let i = 0; i < REPEATS; i++) {
    const bare = processTime([BARE]);
    added.push(processTime([FIRST, peerFile]) - bare);
  }
  return { ms: median(added) };
}

function processTime(args) {
  const begin = now();
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(String(stderr));
  return now() - begin;
}
