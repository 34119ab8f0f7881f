// The process table of macOS, which has no /proc: a snapshot by `ps`, taken anew for each list of processes.

import { execFileSync } from 'node:child_process';

let rows = new Map();

export function processNumbers() {
  const columns = ['pid=', 'ppid=', 'state=', 'ucomm=', 'command='].flatMap((column) => ['-o', column]);
  const table = execFileSync('ps', ['-axww', ...columns], { encoding: 'utf8', maxBuffer: 1 << 26 });
  rows = new Map(
    table.split('\n').flatMap((line) => {
      const [, pid, parent, state, name, command] = /^ *(\d+) +(\d+) +(\S)\S* +(\S+) +(.*)$/.exec(line) ?? [];
      return pid === undefined ? [] : [[Number(pid), { parent: Number(parent), state, name, command }]];
    }),
  );
  return [...rows.keys()];
}

/** Returns the arguments of a process as Linux shows them, with a zero byte between. */
export function commandLine(pid) {
  return rows.get(pid)?.command.replaceAll(' ', '\0') ?? '';
}

export function programOf(pid) {
  return rows.get(pid)?.command ?? '';
}

export function statusOf(pid) {
  return rows.get(pid) ?? { name: undefined, state: undefined, parent: Number.NaN };
}
