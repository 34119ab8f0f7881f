// Kills Nodes that run commands in sandboxes, at random moments, and measures how long anything is left of
// them.
//
//   node scripts/kill-sandboxes.mjs [--hosts 30]
//
// Exits with 1 if a process, mount, stub, journal entry or file was left after 3 seconds.

import { randomInt } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killHost, leftOf, makeWorkspace } from '../__test__/support/killed-sandboxes.mjs';

/** The time after which nothing may be left (ms): what docs/sandbox.md promises. */
const PROMISED = 3_000;

const { values } = parseArgs({ options: { hosts: { type: 'string', default: '30' } } });
const times = [];
let wrong = 0;
for (let count = 0; count < Number(values.hosts); count++) {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), 'agent-bash-kill-'));
  const root = makeWorkspace(directory);
  const seconds = `986.${randomInt(10 ** 9, 10 ** 10)}`;
  // Half of them while the sandboxes are being built.
  const moment = randomInt(count % 2 === 0 ? 50 : 500);
  const pid = await killHost(root, seconds, moment);
  const killed = performance.now();
  let left = leftOf(root, seconds, pid);
  while (left.length > 0 && performance.now() - killed < PROMISED) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    left = leftOf(root, seconds, pid);
  }
  times.push(Math.round(performance.now() - killed));
  if (left.length > 0) {
    wrong++;
    console.log(`killed after ${moment} ms, left after ${PROMISED} ms: ${left.join(', ')}`);
  } else rmSync(directory, { recursive: true, force: true });
}
times.sort((a, b) => a - b);
const median = times[times.length >> 1];
console.log(`${times.length} hosts: nothing left after ${median} ms (median), ${times.at(-1)} ms (worst)`);
if (wrong > 0) process.exitCode = 1;
