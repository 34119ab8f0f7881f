import type { Writable } from 'node:stream';
import {
  type InputWait,
  Job,
  type JobEvents,
  type JobOptions,
  type JobOutput,
  Jobs,
  jobs,
  type OutputChunk,
  type RunResult,
  type RunStatus,
  type WaitResult,
} from 'agent-bash';
import { expectTypeOf } from 'expect-type';

expectTypeOf(jobs).toEqualTypeOf<Jobs>();
expectTypeOf(jobs).toExtend<AsyncDisposable>();

new Jobs();
new Jobs({
  maxRunning: 1,
  retention: 1,
  maxFinished: 0,
  maxFinishedBytes: 0,
  onHostExit: 'leave',
  readBytes: 0,
});
new Jobs({ maxRunning: undefined });
// @ts-expect-error There is no such option.
new Jobs({ limit: 1 });
// @ts-expect-error They are killed or left.
new Jobs({ onHostExit: 'wait' });

const options: JobOptions = { cwd: '/', timeout: 1_000, background: 'kill', stdin: 'pipe' };
const job = jobs.start('cat', options);
expectTypeOf(job).toEqualTypeOf<Job>();
expectTypeOf(jobs.start(['git', 'status'] as const)).toEqualTypeOf<Job>();
// @ts-expect-error A job is in the background from its start.
jobs.start('true', { onTimeout: 'background' });
// @ts-expect-error A job is in the background from its start.
jobs.start('true', { backgroundTimeout: 1 });
// @ts-expect-error What it leaves behind is kept or killed.
jobs.start('true', { background: 'adopt' });
// @ts-expect-error Its result never rejects.
jobs.start('true', { reject: true });
// @ts-expect-error It is started in its table.
jobs.start('true', { jobs });

// @ts-expect-error Tables make jobs.
new Job();

expectTypeOf(job.id).toEqualTypeOf<string>();
expectTypeOf(job.command).toEqualTypeOf<string>();
expectTypeOf(job.pid).toEqualTypeOf<number | null>();
expectTypeOf(job.status).toEqualTypeOf<'starting' | 'running' | RunStatus>();
expectTypeOf(job.isBackground).toEqualTypeOf<boolean>();
expectTypeOf(job.result).toEqualTypeOf<Promise<RunResult>>();
expectTypeOf(job.stdin).toEqualTypeOf<Writable | null>();
expectTypeOf(job.write('text')).toEqualTypeOf<boolean>();
expectTypeOf(job.write(new Uint8Array(1))).toEqualTypeOf<boolean>();
expectTypeOf(job.end()).toEqualTypeOf<void>();
expectTypeOf(job.end('text')).toEqualTypeOf<void>();
expectTypeOf(job.read()).toEqualTypeOf<JobOutput>();
expectTypeOf(job.read(5)).toEqualTypeOf<{
  text: string;
  chunks: OutputChunk[];
  cursor: number;
  dropped: number;
}>();
expectTypeOf(job.kill('SIGINT')).toEqualTypeOf<boolean>();
expectTypeOf(job.ref()).toEqualTypeOf<Job>();
expectTypeOf(job.unref()).toEqualTypeOf<Job>();
expectTypeOf(job).toExtend<AsyncIterable<OutputChunk>>();
expectTypeOf(job).toExtend<AsyncDisposable>();
expectTypeOf<JobEvents>().toEqualTypeOf<{
  spawn: [];
  data: [chunk: string, stream: 'stdout' | 'stderr'];
  exit: [code: number | null, signal: NodeJS.Signals | null, result: RunResult];
  waiting: [wait: InputWait];
  screen: [];
}>();
job.on('data', (chunk, stream) => process[stream].write(chunk));
// @ts-expect-error Input is text or bytes.
job.write(5);
// @ts-expect-error It is what it is.
job.isBackground = true;

expectTypeOf(jobs.get('job-1')).toEqualTypeOf<Job | undefined>();
expectTypeOf(jobs.list()).toEqualTypeOf<Job[]>();
expectTypeOf(jobs.kill('job-1')).toEqualTypeOf<boolean>();
expectTypeOf(jobs.kill('job-1', 'SIGKILL')).toEqualTypeOf<boolean>();
expectTypeOf(jobs.read('job-1')).toEqualTypeOf<JobOutput>();
expectTypeOf(jobs.read('job-1', 100)).toEqualTypeOf<JobOutput>();
expectTypeOf(jobs.dispose()).toEqualTypeOf<Promise<void>>();

expectTypeOf(jobs.wait()).toEqualTypeOf<Promise<WaitResult>>();
void jobs.wait(undefined, { mode: 'any' });
void jobs.wait('job-1', { timeout: 1_000, signal: AbortSignal.timeout(5) });
void jobs.wait(['job-1', 'job-2'] as const, { mode: undefined });
expectTypeOf<WaitResult>().toEqualTypeOf<{
  status: 'done' | 'timeout' | 'aborted';
  finished: RunResult[];
  pending: string[];
}>();
// @ts-expect-error All of them or any.
void jobs.wait('job-1', { mode: 'one' });
// @ts-expect-error Ids are text.
void jobs.wait(1);

await using _table = new Jobs();
