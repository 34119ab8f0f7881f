import { constants } from 'node:os';

/** Exit codes for commands that did not exit by themselves. Convention: shells and `timeout(1)`. */
const EXIT_CODE: Partial<Record<string, number>> = {
  timeout: 124,
  idleTimeout: 124,
  denied: 126,
  failed: 127,
};

/** Returns the exit code by which a program passes on the end of a command. */
function exitCodeOf(end: { status: string; exitCode: number | null; signal: string | null }): number {
  if (end.exitCode !== null) return end.exitCode;
  return EXIT_CODE[end.status] ?? 128 + (constants.signals[end.signal as NodeJS.Signals] ?? 0);
}

export { exitCodeOf };
