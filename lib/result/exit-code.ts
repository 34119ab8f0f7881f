// The exit code of a command for programs and interfaces that have nothing else to say how it ended.

import { constants } from 'node:os';

/**
 * Exit codes for commands that did not exit by themselves. Convention: shells and `timeout(1)`. That of
 * `denied` is for adapters: `agent-bash run` has no policy.
 */
const EXIT_CODE = { timeout: 124, idleTimeout: 124, denied: 126, failed: 127 } as const;

/** Returns the exit code by which a program passes on the end of a command. */
function exitCodeOf(end: { status: string; exitCode: number | null; signal: string | null }): number {
  if (end.exitCode !== null) return end.exitCode;
  const { [end.status]: code }: Partial<Record<string, number>> = EXIT_CODE;
  return code ?? 128 + (constants.signals[end.signal as NodeJS.Signals] ?? 0);
}

export { EXIT_CODE, exitCodeOf };
