// Measures the time from kill() to the end of a command, and counts the processes that are still alive then.

import { watchGaps } from './gap.mjs';
import { withWord } from './processes.mjs';
import { median } from './stats.mjs';
import { now, sleep } from './time.mjs';
import { warmUp } from './work.mjs';

const REPEATS = 10;

/**
 * `commandFor(time)` sleeps for that time (s), a value so unusual that it identifies the processes of this
 * sample.
 */
export async function killed(peer, commandFor) {
  await warmUp(peer);
  const times = [];
  const gaps = [];
  const left = [];
  for (let i = 0; i < REPEATS; i++) {
    const mark = `600.${process.pid}0${100 + i}`;
    try {
      const { ms, gapMs } = await killOne(peer, commandFor(mark));
      times.push(ms);
      gaps.push(gapMs);
      await sleep(DYING_MS);
    } finally {
      left.push(clear(mark));
    }
  }
  return { ms: median(times), gapMs: Math.max(...gaps), left: Math.max(...left) };
}

/** A pause until all processes run: the shell prints `up` before it starts the last one. */
const STARTING_MS = 30;

/** A pause in which signalled processes exit. */
const DYING_MS = 20;

async function killOne(peer, command) {
  let running;
  await new Promise((resolve) => {
    running = peer.start(command, resolve);
  });
  await sleep(STARTING_MS);
  // Only here, because the search for processes blocks JavaScript too.
  const gap = await watchGaps();
  const begin = now();
  running.kill();
  await running.done;
  const ms = now() - begin;
  return { ms, gapMs: await gap() };
}

/** Kills the remaining processes and returns how many there were. */
function clear(mark) {
  const pids = withWord(mark);
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has exited since.
    }
  }
  return pids.length;
}
