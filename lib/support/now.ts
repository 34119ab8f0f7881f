import { theDouble } from '../addon/seam.ts';
import { original } from './original.ts';

/** The clock of Node.js: the fake timers of a test replace it. */
const hrtime = original(process, 'hrtime');

/** Returns a monotonic time (ms). `performance` is a global that contexts of `node:vm` lack. */
function now(): number {
  return theDouble()?.timers()?.now() ?? realNow();
}

/** Returns the time (ms) of the real clock, in any test. */
function realNow(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** Returns the time since 1970 (ms). In a test with replayed commands, it goes on with their time. */
function wallNow(): number {
  return theDouble()?.timers()?.wallNow() ?? Date.now();
}

export { now, realNow, wallNow };
