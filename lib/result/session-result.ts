import type { NativeResult } from '../addon/addon-types.ts';
import { withoutFileNamesIn } from './error-names.ts';
import type { Invocation, Result } from './result.ts';
import { runResult } from './result.ts';

/** Converts the addon's result of a session's command. */
function sessionResult(native: NativeResult, invocation: Invocation): Result {
  withoutFileNamesIn(native, invocation.shell);
  const result = runResult(native, invocation, null);
  result.shellEnded = native.shellEnded ?? false;
  result.restarted = native.restarted ?? false;
  result.pipeStatus = native.pipeStatus ?? null;
  return result;
}

export { sessionResult };
