import {
  BashJob,
  type ByteChunk,
  type Encoding,
  type JobBytes,
  type JobOptions,
  Jobs,
  type JobText,
  jobs,
  type OutputChunk,
  type RunOptions,
  type RunResult,
  run,
  type TextChunk,
} from 'agent-bash';
import { expectTypeOf } from 'expect-type';

// The encoding of a call decides the type of its output.
expectTypeOf(run('true', { encoding: 'buffer' })).toEqualTypeOf<Promise<RunResult<'buffer'>>>();
expectTypeOf(run('true', { encoding: 'utf8' })).toEqualTypeOf<Promise<RunResult>>();
expectTypeOf(run('true', { cwd: '/' })).toEqualTypeOf<Promise<RunResult>>();
expectTypeOf(run('true', { encoding: 'buffer', output: { spill: true } })).toEqualTypeOf<
  Promise<RunResult<'buffer'> & AsyncDisposable>
>();
expectTypeOf<RunResult<'buffer'>['stdout']>().toEqualTypeOf<Uint8Array>();
expectTypeOf<RunResult<'buffer'>['stderr']>().toEqualTypeOf<Uint8Array>();
expectTypeOf<RunResult<'buffer'>['output']>().toEqualTypeOf<Uint8Array>();
expectTypeOf<RunResult['stdout']>().toEqualTypeOf<string>();

// A variable decides as a literal does, also one that is known at run time only.
declare const text: RunOptions;
declare const bytes: RunOptions<'buffer'>;
declare const encoding: Encoding;
expectTypeOf(run('true', text)).toEqualTypeOf<Promise<RunResult>>();
expectTypeOf(run('true', bytes)).toEqualTypeOf<Promise<RunResult<'buffer'>>>();
const { stdout } = await run('true', { encoding });
expectTypeOf(stdout).toEqualTypeOf<string | Uint8Array>();

expectTypeOf((await run('true', { encoding: 'windows-1252' })).stdout).toEqualTypeOf<string>();

// @ts-expect-error There is no such encoding; a TextDecoder has more.
void run('true', { encoding: 'euc-jp' });

const job = jobs.start('true', { encoding: 'buffer' });
expectTypeOf(job.result).toEqualTypeOf<Promise<RunResult<'buffer'>>>();
expectTypeOf(job.read()).toEqualTypeOf<JobBytes>();
job.on('data', (chunk, stream) => {
  expectTypeOf(chunk).toEqualTypeOf<Uint8Array>();
  expectTypeOf(stream).toEqualTypeOf<'stdout' | 'stderr'>();
});
job.on('exit', (_code, _signal, result) => expectTypeOf(result).toEqualTypeOf<RunResult<'buffer'>>());
for await (const chunk of job) expectTypeOf(chunk).toEqualTypeOf<ByteChunk>();
for await (const chunk of jobs.start('true')) expectTypeOf(chunk).toEqualTypeOf<TextChunk>();
expectTypeOf<OutputChunk<Encoding>>().toEqualTypeOf<TextChunk | ByteChunk>();

expectTypeOf(new BashJob({ command: 'true' }, '/').result).toEqualTypeOf<Promise<RunResult>>();
const bash = new BashJob({ command: 'true' }, '/', false, { encoding: 'buffer' });
expectTypeOf(bash.result).toEqualTypeOf<Promise<RunResult<'buffer'>>>();

// A table does not know the encodings of its jobs: the caller names it.
const table = new Jobs();
expectTypeOf(table.read('job-1')).toEqualTypeOf<JobText>();
expectTypeOf(table.read<'buffer'>('job-1')).toEqualTypeOf<JobBytes>();
expectTypeOf((await table.wait<'buffer'>()).finished).toEqualTypeOf<RunResult<'buffer'>[]>();

const options: JobOptions<'buffer'> = { encoding: 'buffer', stdin: 'pipe' };
void table.start('cat', options);
