import {
  CommandError,
  type DrainOptions,
  type Jobs,
  type LimitOptions,
  nonInteractiveEnv,
  type OutputOptions,
  type RunOptions,
  type RunResult,
  run,
} from 'agent-bash';
import { expectTypeOf } from 'expect-type';

expectTypeOf(run('true')).toEqualTypeOf<Promise<RunResult>>();
expectTypeOf(run(['git', 'status'] as const)).toEqualTypeOf<Promise<RunResult>>();
expectTypeOf(run('true', { reject: true })).toEqualTypeOf<Promise<RunResult>>();
expectTypeOf(nonInteractiveEnv).toEqualTypeOf<Readonly<Record<string, string>>>();

// @ts-expect-error There is no command.
void run();
// @ts-expect-error A command is text.
void run(5);
// @ts-expect-error Words are text.
void run(['sleep', 5]);
// @ts-expect-error Options are an object.
void run('true', 1_000);

declare const table: Jobs;
const options: RunOptions = {
  cwd: new URL('file:///tmp'),
  root: '/',
  env: { ...process.env, ...nonInteractiveEnv, REMOVED: undefined },
  extendEnv: false,
  nonInteractive: true,
  shell: ['/bin/bash', '-euc'],
  input: new Uint8Array(1),
  timeout: 1_000,
  idleTimeout: 500,
  onTimeout: 'background',
  backgroundTimeout: 60_000,
  signal: AbortSignal.timeout(1_000),
  killSignal: 'SIGINT',
  forceKillAfterDelay: false,
  background: 'adopt',
  drain: { idle: 50 },
  output: {
    maxBytes: 1,
    keep: 'both',
    headBytes: 1,
    cut: 'character',
    merge: true,
    stripAnsi: true,
    marker: '[{bytes} of {total} bytes, {lines} lines]',
    spill: { directory: '/tmp', maxBytes: 1 },
  },
  limits: { memory: 1, processes: 1, fileSize: 1, cpu: 1, openFiles: 1 },
  reject: true,
  jobs: table,
};
void run('true', options);
// `undefined` counts as absent, also with `exactOptionalPropertyTypes`.
void run('true', { cwd: undefined, timeout: undefined, output: { spill: undefined }, jobs: undefined });
void run('true', { shell: 'auto' });
void run('true', { shell: '/bin/sh', killSignal: 9, drain: 'end', input: 'text' });
void run('ls -l', { shell: false });
expectTypeOf<RunOptions['drain']>().toEqualTypeOf<'end' | DrainOptions | undefined>();
expectTypeOf<RunOptions['output']>().toEqualTypeOf<OutputOptions | undefined>();
expectTypeOf<RunOptions['limits']>().toEqualTypeOf<LimitOptions | undefined>();

// @ts-expect-error There is no such option.
void run('true', { timeOut: 1 });
// @ts-expect-error There is no such option.
void run('true', { output: { max: 1 } });
// @ts-expect-error The environment is text.
void run('true', { env: { PORT: 3000 } });
// @ts-expect-error There is no default shell by `true`.
void run('true', { shell: true });
// @ts-expect-error A number of milliseconds.
void run('true', { timeout: '1s' });
// @ts-expect-error Either the beginning, the end or both.
void run('true', { output: { keep: 'middle' } });
// @ts-expect-error Signals have their full names.
void run('true', { killSignal: 'TERM' });
// @ts-expect-error Only jobs of a table have a pipe.
void run('true', { stdin: 'pipe' });
// @ts-expect-error A table, not a list.
void run('true', { jobs: [] });

{
  await using spilled = await run('true', { output: { spill: true } });
  expectTypeOf(spilled).toExtend<RunResult>();
  await using _own = await run('true', { output: { keep: 'tail', spill: { directory: '/tmp' } } });
  await using _minimized = await run('true', { output: { minimize: { except: ['npm'] } } });
  // @ts-expect-error Without a file there is nothing to dispose of.
  await using _none = await run('true');
}

// @ts-expect-error It is frozen.
nonInteractiveEnv.PAGER = 'less';

declare const error: unknown;
if (error instanceof CommandError) {
  expectTypeOf(error).toExtend<Error>();
  expectTypeOf(error.name).toEqualTypeOf<'CommandError'>();
  expectTypeOf(error.code).toEqualTypeOf<string | undefined>();
  expectTypeOf(error.result).toEqualTypeOf<RunResult>();
  expectTypeOf(error.shortMessage).toEqualTypeOf<string>();
}

// The suggestion of a decision may be absent.
void run('pwd', {
  policy: {},
  approve: async ({ suggestion }) => ({
    verdict: 'allow',
    addRule: suggestion ?? undefined,
    reason: undefined,
  }),
});
