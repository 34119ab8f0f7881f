// Sends 2 GiB of a log through a pipe into a view, and prints the time and how much the memory of this
// process grew.
//
//   node --expose-gc scripts/view-memory.mjs            2 GiB
//   node --expose-gc scripts/view-memory.mjs --mib 64   64 MiB
//
// Exits with 1 if the view lacks the one line that matters, or the memory grew by more than 32 MiB: the view
// may take 2 MiB + 4 × its budget, and the rest is room for the engine's buffers and the heap of JavaScript.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../entry/index.mjs';

const MIB = 1024 * 1024;
const MAX_MIB = 32;
const BUDGET = 16_000;

const { values } = parseArgs({ options: { mib: { type: 'string', default: '2048' } } });
const mib = Number(values.mib);

/** Returns the memory of this process (MiB): now, or at its peak since the last call of `forgetPeak`. */
function memory(name) {
  return (
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))[1]) /
    1024
  );
}

/** Sets the peak back to what there is now. */
function forgetPeak() {
  writeFileSync('/proc/self/clear_refs', '5');
}

const place = mkdtempSync(join(tmpdir(), 'agent-bash-view-'));
try {
  // 1 MiB of lines with numbers that differ.
  const lines = [];
  for (let size = 0, number = 0; size < MIB; number++) {
    const line = `2026-03-14T09:26:53Z INFO worker-${number % 8} copied block ${number} of 90000 in ${number % 97} ms\n`;
    lines.push(line);
    size += line.length;
  }
  const block = join(place, 'block');
  writeFileSync(block, `${lines.join('').slice(0, MIB - 1)}\n`);
  const half = Math.floor(mib / 2);
  const blocks = (count) => `for i in $(seq ${count}); do cat ${block}; done`;
  const command = `${blocks(half)}; echo 'disk 7 is gone'; ${blocks(mib - half)}`;

  const output = { maxBytes: 1_000, view: { maxBytes: BUDGET } };
  await run('true', { output });
  globalThis.gc?.();
  forgetPeak();
  const before = memory('VmRSS');
  const begin = performance.now();
  const { view } = await run(command, { output, timeout: 3_600_000 });
  const seconds = (performance.now() - begin) / 1_000;
  const grown = memory('VmHWM') - before;

  const isSeen = view.text.includes('\ndisk 7 is gone\n');
  console.log(`${(view.bytes / MIB).toFixed(0)} MiB, ${view.lines} lines in ${seconds.toFixed(1)} s`);
  console.log(`memory: ${before.toFixed(1)} MiB before, ${grown.toFixed(1)} MiB more at the peak`);
  console.log(`the one line that matters is ${isSeen ? '' : 'not '}shown`);
  process.exitCode = isSeen && grown <= MAX_MIB ? 0 : 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}
