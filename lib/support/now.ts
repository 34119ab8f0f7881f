/** Returns a monotonic time (ms). `performance` is a global that contexts of `node:vm` lack. */
function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

export { now };
