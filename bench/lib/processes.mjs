// The processes of this machine, by their command lines.

import { readdirSync, readFileSync } from 'node:fs';

/** The numbers of the living processes whose command line has this word in it. */
export function withWord(word) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => commandLine(name).includes(word))
    .map(Number);
}

/** Empty for zombies and for those that have gone meanwhile. */
function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
