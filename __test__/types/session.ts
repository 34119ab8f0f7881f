import { type ChangedFiles, changedSince, type Job, type SessionResult, ShellSession } from 'agent-bash';
import { expectTypeOf } from 'expect-type';

const session = new ShellSession({ shell: '/bin/bash', keep: 'state', startFiles: 'login', maxQueue: 5 });
expectTypeOf(session.run('true')).toEqualTypeOf<Promise<SessionResult>>();
expectTypeOf(session.run('true', { output: { spill: true } })).toExtend<
  Promise<SessionResult & AsyncDisposable>
>();
expectTypeOf(session.start('cat', { stdin: 'pipe' })).toEqualTypeOf<Job>();
expectTypeOf(session.close()).toEqualTypeOf<Promise<{ stdout: string; stderr: string }>>();
expectTypeOf<SessionResult['pipeStatus']>().toEqualTypeOf<number[] | null>();
expectTypeOf(changedSince('.', new Date())).toEqualTypeOf<Promise<ChangedFiles>>();

// @ts-expect-error A command is text.
void session.run(['true']);
// @ts-expect-error A job does not reject.
session.start('true', { reject: true });
// @ts-expect-error There are two ways.
new ShellSession({ keep: 'nothing' });
