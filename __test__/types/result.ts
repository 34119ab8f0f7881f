import type { RunError, RunResult, RunStatus } from 'agent-bash';
import { expectTypeOf } from 'expect-type';

expectTypeOf<RunResult['status']>().toEqualTypeOf<RunStatus>();
expectTypeOf<RunStatus>().toEqualTypeOf<
  'exited' | 'signaled' | 'timeout' | 'aborted' | 'denied' | 'failed'
>();
expectTypeOf<RunResult['exitCode']>().toEqualTypeOf<number | null>();
expectTypeOf<RunResult['signal']>().toEqualTypeOf<NodeJS.Signals | null>();
expectTypeOf<RunResult['pid']>().toEqualTypeOf<number | null>();
expectTypeOf<RunResult['error']>().toEqualTypeOf<RunError | null>();
expectTypeOf<RunResult['totalBytes']>().toEqualTypeOf<{ stdout: number; stderr: number }>();
expectTypeOf<keyof RunResult>().toEqualTypeOf<
  | 'command'
  | 'cwd'
  | 'status'
  | 'exitCode'
  | 'signal'
  | 'stdout'
  | 'stderr'
  | 'output'
  | 'truncated'
  | 'totalBytes'
  | 'durationMs'
  | 'pid'
  | 'error'
>();

declare const result: RunResult;
// Absent is null, never undefined.
// @ts-expect-error
const code: number | undefined = result.exitCode;
void code;
