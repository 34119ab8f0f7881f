import type { RunResult } from 'agent-bash';
import { exitCodeOf } from '../../result/exit-code.ts';

/** The exit code of an aborted command, as after Ctrl-C. */
const ABORTED = 130;

/** Returns the exit code of a command for an SDK, which learns nothing else of its end. */
function sdkExitCode(result: Pick<RunResult, 'exitCode' | 'signal' | 'status'>): number {
  return result.exitCode === null && result.status === 'aborted' ? ABORTED : exitCodeOf(result);
}

export { sdkExitCode };
