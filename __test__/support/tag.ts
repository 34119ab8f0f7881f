import { randomInt } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { living } from './processes.mjs';

/**
 * A number of seconds for `sleep` that nobody else on this machine sleeps, so that the processes of a test can be
 * found by it. Whoever is left at the end of the test is killed: a test that fails does not disturb the others.
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
