import { randomInt } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { living } from './processes.mjs';

/**
 * Returns a number of seconds for `sleep` that no other process on this machine uses, so that a test finds
 * its processes by it. Remaining processes are killed at the end of the test, so that a failed test does not
 * disturb the others.
 */
export function tag(): string {
  const seconds = `987.${randomInt(10 ** 9, 10 ** 10)}`;
  onTestFinished(() => {
    for (const pid of living(seconds)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has exited since.
      }
    }
  });
  return seconds;
}
