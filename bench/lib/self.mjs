// Reads figures of this process from /proc.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

function field(name) {
  const line = readFileSync('/proc/self/status', 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${name}:`));
  return Number.parseInt(line.slice(name.length + 1), 10);
}

/** Returns the memory in use (MiB). */
export function rss() {
  return field('VmRSS') / 1024;
}

/** Returns the peak of memory in use since `forgetPeak` (MiB). */
export function peakRss() {
  return field('VmHWM') / 1024;
}

export function forgetPeak() {
  writeFileSync('/proc/self/clear_refs', '5');
}

export function threads() {
  return field('Threads');
}

export function descriptors() {
  // Without the descriptor that reads the folder.
  return readdirSync('/proc/self/fd').length - 1;
}

/** Returns how often the threads of this process have waited, and so were woken up. */
export function wakeUps() {
  let count = 0;
  for (const thread of readdirSync('/proc/self/task')) {
    const status = readFileSync(`/proc/self/task/${thread}/status`, 'utf8');
    count += Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)[1]);
  }
  return count;
}

export function collectGarbage() {
  if (globalThis.Bun) globalThis.Bun.gc(true);
  else globalThis.gc();
}
