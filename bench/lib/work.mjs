// Work that more than one scenario does.

import { metered } from './meter.mjs';
import { median } from './stats.mjs';
import { now, timed } from './time.mjs';

/** Runs the first commands of a process, which pay for one-time work. */
export async function warmUp(peer) {
  for (let i = 0; i < 3; i++) await peer.run('true');
}

/** Runs one command after another. Returns the time of one command, and of the call itself. */
export async function oneAfterAnother(peer, count) {
  await warmUp(peer);
  return inARow(peer, count);
}

/** Runs one command after another, without a warm-up. */
export async function inARow(peer, count) {
  const times = [];
  const calls = [];
  const { gapMs, cpuMs } = await metered(async () => {
    for (let i = 0; i < count; i++) {
      const begin = now();
      const answer = peer.run('true');
      const called = now();
      await answer;
      times.push(now() - begin);
      calls.push(called - begin);
    }
  });
  return { ms: median(times), callUs: median(calls) * 1000, cpuEachMs: cpuMs / count, gapMs };
}

/** Runs many commands at once. Returns the time until the last one answered. */
export async function atOnce(peer, { width, batches, command }) {
  await warmUp(peer);
  const times = [];
  const { gapMs, rssMiB, cpuMs } = await metered(async () => {
    for (let i = 0; i < batches; i++) {
      times.push(await timed(() => Promise.all(Array.from({ length: width }, () => peer.run(command)))));
    }
  });
  return { ms: median(times), cpuEachMs: cpuMs / (batches * width), gapMs, rssMiB };
}

/** Runs one command with much output, as one string. */
export async function oneString(peer, command, beginning) {
  await warmUp(peer);
  let text;
  const { ms, gapMs, rssMiB } = await metered(async () => {
    text = await peer.run(command);
  });
  if (!text.startsWith(beginning) || text.length < 30_000) throw new Error('the output is not there');
  return { ms, gapMs, rssMiB };
}

/** Runs one command and streams its output. `listen` is the peer's way to stream. */
export async function streamed(peer, listen, leastLength) {
  await warmUp(peer);
  let callbacks = 0;
  let length = 0;
  const { ms, gapMs, rssMiB, cpuMs } = await metered(() =>
    listen((chunk) => {
      callbacks += 1;
      length += chunk.length;
    }),
  );
  if (length < leastLength) throw new Error(`only ${length} of ${leastLength} characters have come`);
  return { ms, gapMs, rssMiB, cpuMs, callbacks };
}
