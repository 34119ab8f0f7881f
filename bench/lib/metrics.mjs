import { SIZES } from './growth.mjs';

/** The name and the format of each value in the tables. */
const METRICS = {
  ms: { title: 'ms', digits: 2 },
  engineMs: { title: 'engine ms', digits: 3 },
  callUs: { title: 'call µs', digits: 0 },
  gapMs: { title: 'gap ms', digits: 1 },
  rssMiB: { title: '+MiB', digits: 1 },
  besideMs: { title: 'ms beside it', digits: 2 },
  meanwhileMs: { title: 'ms while it is killed', digits: 2 },
  importMiB: { title: 'import +MiB', digits: 1 },
  cpuMs: { title: 'host cpu ms', digits: 0 },
  cpuEachMs: { title: 'host cpu ms each', digits: 2 },
  ...Object.fromEntries(
    SIZES.map((size) => [`cpuMs${size}`, { title: `cpu ms each of ${size}`, digits: 2 }]),
  ),
  growth: { title: 'growth', digits: 2 },
  callbacks: { title: 'callbacks', digits: 0 },
  threads: { title: '+threads', digits: 0 },
  fds: { title: '+fds', digits: 0 },
  lost: { title: 'lost bytes', digits: 0 },
  wakeUps: { title: 'wake-ups a second', digits: 1 },
  left: { title: 'left alive', digits: 0 },
};

export function titleOf(metric) {
  return METRICS[metric].title;
}

export function written(metric, value) {
  return value.toFixed(METRICS[metric].digits);
}
