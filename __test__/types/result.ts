import type {
  LimitsReport,
  RunError,
  RunResult,
  RunStatus,
  SandboxReport,
  SessionResult,
  SignalName,
  Spill,
  TargetReport,
  TreeLimits,
  TreeUsage,
  Usage,
} from 'agent-bash';
import { expectTypeOf } from 'expect-type';

expectTypeOf<RunResult['status']>().toEqualTypeOf<RunStatus>();
expectTypeOf<RunStatus>().toEqualTypeOf<
  'exited' | 'signaled' | 'timeout' | 'idleTimeout' | 'background' | 'aborted' | 'denied' | 'failed'
>();
expectTypeOf<RunResult['exitCode']>().toEqualTypeOf<number | null>();
expectTypeOf<RunResult['signal']>().toEqualTypeOf<SignalName | null>();
expectTypeOf<RunResult['pid']>().toEqualTypeOf<number | null>();
expectTypeOf<RunResult['error']>().toEqualTypeOf<RunError | null>();
expectTypeOf<RunResult['processGroup']>().toEqualTypeOf<number | null>();
expectTypeOf<RunResult['backgroundPids']>().toEqualTypeOf<number[]>();
expectTypeOf<RunResult['jobId']>().toEqualTypeOf<string | null>();
expectTypeOf<RunResult['cursor']>().toEqualTypeOf<number | null>();
expectTypeOf<RunResult['spillPath']>().toEqualTypeOf<string | null>();
expectTypeOf<RunResult['sandbox']>().toEqualTypeOf<SandboxReport | null>();
expectTypeOf<RunResult['target']>().toEqualTypeOf<TargetReport | null>();
expectTypeOf<RunResult['spill']>().toEqualTypeOf<Spill | null>();
expectTypeOf<Spill>().toEqualTypeOf<{
  path: string;
  bytes: number;
  complete: boolean;
  error: RunError | null;
}>();
expectTypeOf<RunResult['usage']>().toEqualTypeOf<Usage | null>();
expectTypeOf<Usage>().toEqualTypeOf<{
  userMs: number;
  systemMs: number;
  maxRssBytes: number | null;
  tree?: TreeUsage | undefined;
}>();
expectTypeOf<RunResult['limits']>().toEqualTypeOf<LimitsReport | null>();
expectTypeOf<LimitsReport['missing']>().toEqualTypeOf<
  (keyof Omit<TreeLimits, 'cgroup' | 'onUnavailable'>)[]
>();
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
  | 'processGroup'
  | 'decision'
  | 'backgroundPids'
  | 'jobId'
  | 'cursor'
  | 'spillPath'
  | 'spill'
  | 'view'
  | 'pipeStatus'
  | 'usage'
  | 'limits'
  | 'sandbox'
  | 'target'
  | 'error'
  | 'recording'
  | 'durable'
>();

declare const result: RunResult;
// Absent is null, never undefined.
// @ts-expect-error
const code: number | undefined = result.exitCode;
void code;

// A command that goes on as a job has the id of the job.
if (result.status === 'background') expectTypeOf(result.jobId).toEqualTypeOf<string>();
else expectTypeOf(result.jobId).toEqualTypeOf<string | null>();

declare const inSession: SessionResult;
expectTypeOf(inSession).toExtend<RunResult>();
