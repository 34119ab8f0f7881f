import {
  type Approve,
  BashJob,
  type BashJobOptions,
  type Decision,
  type Job,
  type OutputChunk,
  type Overlay,
  type Policy,
  type PtyOptions,
  type RunResult,
  type RunStatus,
  type SandboxLevel,
  type SandboxOptions,
  type Target,
  type TargetOptions,
  type ViewOptions,
} from 'agent-bash';
import { expectTypeOf } from 'expect-type';

const job = new BashJob({ command: 'true' }, '/', false, {
  timeout: 1_000,
  signal: new AbortController().signal,
});

expectTypeOf(job).toExtend<Job>();
expectTypeOf(job.id).toEqualTypeOf<string>();
expectTypeOf(job.pid).toEqualTypeOf<number | null>();
expectTypeOf(job.status).toEqualTypeOf<'starting' | 'running' | RunStatus>();
expectTypeOf(job.result).toEqualTypeOf<Promise<RunResult>>();
expectTypeOf(job.ref()).toEqualTypeOf<BashJob>();
expectTypeOf(job.unref()).toEqualTypeOf<BashJob>();
expectTypeOf(job).toExtend<AsyncIterable<OutputChunk>>();
expectTypeOf(job).toExtend<AsyncDisposable>();
expectTypeOf<BashJobOptions>().toEqualTypeOf<{
  timeout?: number | undefined;
  signal?: AbortSignal | undefined;
  encoding?: 'utf8' | undefined;
  output?: { view?: boolean | ViewOptions | undefined } | undefined;
  pty?: boolean | PtyOptions | undefined;
  policy?: Policy | undefined;
  approve?: Approve | undefined;
  decision?: Decision | undefined;
  sandbox?: SandboxLevel | SandboxOptions | false | undefined;
  overlay?: Overlay | undefined;
  target?: Target | TargetOptions | undefined;
}>();

expectTypeOf(job.kill()).toEqualTypeOf<boolean>();
job.kill('SIGINT');
job.kill(9);
// @ts-expect-error Signals have their full names.
job.kill('TERM');
// @ts-expect-error It is a number or a name.
job.kill(null);

new BashJob(null, '/');
new BashJob({ cmd: 'true' }, '/', true);
// @ts-expect-error The directory has no default.
new BashJob({ command: 'true' });
// @ts-expect-error A number of milliseconds.
new BashJob({ command: 'true' }, '/', false, { timeout: '1s' });
// @ts-expect-error A signal, not its controller.
new BashJob({ command: 'true' }, '/', false, { signal: new AbortController() });
// @ts-expect-error There is no such option.
new BashJob({ command: 'true' }, '/', false, { cwd: '/' });

// @ts-expect-error What a job is can't be set.
job.status = 'exited';
// @ts-expect-error What a job is can't be set.
job.id = 'mine';

for await (const chunk of job) {
  expectTypeOf(chunk).toEqualTypeOf<OutputChunk>();
  process[chunk.stream].write(chunk.text);
}
await using _disposed = job;
