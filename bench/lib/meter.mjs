// Measures what a piece of work costs its host, apart from time.

import { watchGaps } from './gap.mjs';
import { collectGarbage, forgetPeak, peakRss, rss } from './self.mjs';

/**
 * Does the work and resolves with { ms, gapMs, rssMiB, cpuMs }: its time, the largest gap, the memory and the
 * time that the host itself spent on it. */
export async function metered(work) {
  collectGarbage();
  const gap = await watchGaps();
  forgetPeak();
  const rssBefore = rss();
  const cpuBefore = process.cpuUsage();
  const begin = performance.now();
  await work();
  const ms = performance.now() - begin;
  const cpu = process.cpuUsage(cpuBefore);
  const rssMiB = peakRss() - rssBefore;
  return { ms, gapMs: await gap(), rssMiB, cpuMs: (cpu.user + cpu.system) / 1000 };
}
