import { atOnce } from '../lib/work.mjs';

/** A build of 5,000 lines (290 KB) with one error. */
const COMMAND =
  'i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); echo "[$i/5000] Building CXX object src/parser/unit_$i.cc.o"; ' +
  '[ $i -eq 2345 ] && echo "src/parser/unit.cc:7:3: error: no such type"; done; :';
const BATCHES = 20;

export const title = 'a build of 5,000 lines, with a view and without';
export const metrics = ['ms', 'cpuEachMs', 'gapMs', 'rssMiB'];
export const peers = ['agent-bash-run', 'agent-bash-view', 'child-process'];
export const limit = { batches: BATCHES, command: COMMAND };

export async function measure(load) {
  return atOnce(await load(), { width: 1, batches: BATCHES, command: COMMAND });
}
