// Measures an output of 64 MiB with the option `redact`, beside the same output without it.
//
//   npm run build && node bench/redact.mjs
//
// The goals are ratios to no redaction in the same process: 1.10 with 8 values, 2 with 256.

import { run } from '../entry/index.mjs';
import { median } from './lib/stats.mjs';

const ROUNDS = 15;
const BYTES = 64 * 2 ** 20;
const LINE = 'The quick brown fox jumps over the lazy dog, and 0123456789 abcdef.';
const COMMAND = `yes '${LINE}' | head -c ${BYTES}`;

/** Returns this many values that are not in the output. */
function values(count) {
  const value = (index) => (BigInt(index + 1) * 0x9e3779b97f4a7c15n).toString(36).padEnd(20, 'k');
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`V${index}`, value(index)]));
}

const KINDS = { none: undefined, 8: { values: values(8) }, 256: { values: values(256) } };
const times = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []]));
for (let round = 0; round < ROUNDS; round++) {
  // In turns, so that a busy moment of the machine is not that of one kind.
  for (const [kind, redact] of Object.entries(KINDS)) {
    const { durationMs, totalBytes } = await run(COMMAND, { redact });
    if (totalBytes.stdout !== BYTES) throw new Error(`${totalBytes.stdout} bytes`);
    times[kind].push(durationMs);
  }
}
const usual = median(times.none);
for (const [kind, measured] of Object.entries(times)) {
  const middle = median(measured);
  console.log(`${kind.padEnd(5)} ${middle.toFixed(0)} ms, ratio ${(middle / usual).toFixed(2)}`);
}
