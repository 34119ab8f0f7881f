// The cost of a fresh process that does something, less one that does nothing.

import { spawnSync } from 'node:child_process';
import { median } from './stats.mjs';
import { now } from './time.mjs';

const REPEATS = 7;

/**
 * Returns the time that `args` take beyond `bareArgs` (ms). Both are arguments of a process of this runtime.
 */
export function addedTime(bareArgs, args) {
  const bare = [];
  const whole = [];
  // In turns, so that a slow phase of the machine affects both.
  for (let i = 0; i < REPEATS; i++) {
    bare.push(processTime(bareArgs));
    whole.push(processTime(args));
  }
  return median(whole) - median(bare);
}

function processTime(args) {
  const begin = now();
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(String(stderr));
  return now() - begin;
}
