import type { EventEmitter } from 'node:events';
import type { BashJob, BashJobEvents, RunResult, SignalName, StreamName } from 'agent-bash';
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
  expectTypeOf(signal).toEqualTypeOf<SignalName | null>();
  expectTypeOf(result).toEqualTypeOf<RunResult>();
});

job.once('data', (...args) => expectTypeOf(args).toEqualTypeOf<[chunk: string, stream: StreamName]>());
job.prependListener('exit', (code) => expectTypeOf(code).toEqualTypeOf<number | null>());
expectTypeOf(job.on('exit', () => {})).toEqualTypeOf<BashJob>();

// @ts-expect-error The chunk is a string.
job.on('data', (chunk: number) => chunk);
// @ts-expect-error There is no third argument.
job.on('data', (_chunk, _stream, _third) => {});
// @ts-expect-error The code may be null.
job.on('exit', (code: number) => code);
