/** How many times slower than a usual machine this one is. `scripts/emulated-arm64.sh` sets it. */
const SLOWNESS = Number(process.env.AGENT_BASH_TEST_SLOWNESS ?? 1);

/** Returns a time that is long enough here for what takes less than `ms` milliseconds on a usual machine. */
export function within(ms) {
  return ms * SLOWNESS;
}

/** Returns the part of an amount of work that this machine does in the time of a usual one. */
export function scaled(amount) {
  return Math.floor(amount / SLOWNESS);
}
