import { theDouble } from '../addon/seam.ts';

/** The clock as it was when the package was loaded: the fake timers of a test replace it. */
const { hrtime } = process;

/** Returns a monotonic time (ms). `performance` is a global that contexts of `node:vm` lack. */
function now(): number {
  return theDouble()?.timers()?.now() ?? realNow();
}

/** Returns the time (ms) of the real clock, in any test. */
function realNow(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

export { now, realNow };
