// Finds processes of this machine by their command lines.

import { readdirSync, readFileSync } from 'node:fs';

/** Returns the pids of living processes whose command line contains this word. */
export function withWord(word) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => commandLine(name).includes(word))
    .map(Number);
}

/** Returns the command line of a process; empty for zombies and exited processes. */
function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Returns the memory of a process (MiB). */
export function residentMiB(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
