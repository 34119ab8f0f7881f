import type { EventEmitter } from 'node:events';
import type { BashJob, BashJobEvents, Job, RunResult, SignalName, StreamName } from 'agent-bash';
import { expectTypeOf } from 'expect-type';

declare const job: BashJob;

expectTypeOf(job).toExtend<EventEmitter<BashJobEvents>>();

job.on('data', (chunk, stream) => {
  expectTypeOf(chunk).toEqualTypeOf<string>();
  expectTypeOf(stream).toEqualTypeOf<StreamName>();
  process[stream].write(chunk);
});

job.on('exit', (code, signal, result) => {
  expectTypeOf(code).toEqualTypeOf<number | null>();
  expectTypeOf(signal).toEqualTypeOf<NodeJS.Signals | null>();
  expectTypeOf(result).toEqualTypeOf<RunResult>();
  expectTypeOf(result.signal).toEqualTypeOf<SignalName | null>();
});

// A listener for a child process.
declare const ended: (code: number | null, signal: NodeJS.Signals | null) => void;
job
  .on('exit', ended)
  .once('exit', ended)
  .addListener('exit', ended)
  .prependOnceListener('exit', ended)
  .off('exit', ended);
declare const started: Job;
started.on('exit', ended).once('exit', ended).off('exit', ended);
started.on('exit', (code: number | null, signal: SignalName | null) => [code, signal]);

job.once('data', (...args) => expectTypeOf(args).toEqualTypeOf<[chunk: string, stream: StreamName]>());
job.prependListener('exit', (code) => expectTypeOf(code).toEqualTypeOf<number | null>());
expectTypeOf(job.on('exit', () => {})).toEqualTypeOf<BashJob>();

// @ts-expect-error The chunk is a string.
job.on('data', (chunk: number) => chunk);
// @ts-expect-error There is no third argument.
job.on('data', (_chunk, _stream, _third) => {});
// @ts-expect-error The code may be null.
job.on('exit', (code: number) => code);
