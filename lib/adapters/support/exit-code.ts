// The exit code of a command for interfaces that have nothing else to say how it ended.

import { constants } from 'node:os';
import type { RunResult } from 'agent-bash';

/** Exit codes for commands that did not exit by themselves. Convention: shells and `timeout(1)`. */
const EXIT_CODE: Partial<Record<string, number>> & { failed: number } = {
  timeout: 124,
  idleTimeout: 124,
  denied: 126,
  aborted: 130,
  failed: 127,
};

function exitCodeOf({ exitCode, signal, status }: Pick<RunResult, 'exitCode' | 'signal' | 'status'>): number {
  if (exitCode !== null) return exitCode;
  if (signal !== null && EXIT_CODE[status] === undefined)
    return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
  return EXIT_CODE[status] ?? 1;
}

export { EXIT_CODE, exitCodeOf };
