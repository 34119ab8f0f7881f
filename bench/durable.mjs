// Measures durable jobs beside ordinary ones: the start, an attachment, and the throughput of the log. Prints
// medians. Run it on a quiet machine: `node bench/durable.mjs`.

import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Jobs } from '../index.js';

const ROUNDS = 100;
const MEGABYTES = 200;
const directory = mkdtempSync(join(tmpdir(), 'agent-bash-bench-'));

/** Returns the median time of so many calls (ms). */
async function median(count, act) {
  const times = [];
  for (let round = 0; round < count; round++) {
    const since = performance.now();
    const after = await act();
    times.push(performance.now() - since);
    await after?.();
  }
  return times.sort((a, b) => a - b)[Math.floor(count / 2)];
}

/** Starts a job and waits until it runs; returns what ends it. */
async function start(jobs) {
  const job = jobs.start(['sleep', '100']);
  await new Promise((resolve) => job.once('spawn', resolve));
  return async () => {
    job.kill('SIGKILL');
    await job.result;
  };
}

/** Returns the throughput of an output that is read (MB/s). */
async function throughput(jobs) {
  const since = performance.now();
  const job = jobs.start(['head', '-c', String(MEGABYTES * 1_000_000), '/dev/zero']);
  await job.result;
  return (MEGABYTES * 1_000) / (performance.now() - since);
}

const ordinary = new Jobs();
const durable = new Jobs({ durable: { directory, maxLogBytes: 2 * MEGABYTES * 1_000_000 } });
const reader = new Jobs({ durable: { directory } });
try {
  // The first call copies the helper.
  await (await start(durable))();
  const lived = await durable.ensure('bench', 'sleep 1000');
  const rows = {
    'start (ms)': [await median(ROUNDS, () => start(ordinary)), await median(ROUNDS, () => start(durable))],
    'attach (ms)': [
      null,
      await median(ROUNDS, async () => {
        const job = await reader.attach(lived.id);
        return async () => {
          job.detach();
          await job.result;
        };
      }),
    ],
    'output (MB/s)': [await throughput(ordinary), await throughput(durable)],
  };
  console.log(`load ${loadavg()[0].toFixed(1)}; medians of ${ROUNDS}; ordinary, durable`);
  for (const [name, values] of Object.entries(rows)) {
    console.log(
      name.padEnd(16),
      ...values.map((value) => (value === null ? '-' : value.toFixed(1)).padStart(8)),
    );
  }
} finally {
  await reader.release();
  await durable.dispose();
  rmSync(directory, { recursive: true, force: true });
}
