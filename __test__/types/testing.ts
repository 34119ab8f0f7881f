import { faults, type TestShell, withShell } from 'agent-bash/testing';
import { useShell as useShellOfJest } from 'agent-bash/testing/jest';
import { useShell as useShellOfNode } from 'agent-bash/testing/node';
import { useShell } from 'agent-bash/testing/vitest';
import { expectTypeOf } from 'expect-type';
import { expect } from 'vitest';

// Every runner gives the same shell.
expectTypeOf(useShell).returns.toEqualTypeOf<TestShell>();
expectTypeOf(useShellOfJest).toEqualTypeOf(useShell);
expectTypeOf(useShellOfNode).toEqualTypeOf(useShell);

const shell = useShell({ project: 'fixtures/app', files: true, holes: { port: /:(\d+)/ }, time: 'timers' });
expectTypeOf(shell.commands[0]?.result?.exitCode).toEqualTypeOf<number | null | undefined>();

// An answer is text, an end, or a function, which may answer later.
shell.fake('npm *', 'ok', { chunks: [[5, 'stderr', Uint8Array.of(1)]], exitCode: 1 });
shell.fake(/^git/, ({ command, cwd, env, input }) => [command, cwd, env.HOME, input].join(' '));
shell.fake(
  ({ command }) => command === 'x',
  async () => faults.signal('SIGKILL'),
);
// @ts-expect-error a stream is stdout or stderr
shell.fake('x', { chunks: [[0, 'stdin', '']] });
// @ts-expect-error no mode of this name
useShell({ mode: 'recorded' });

expect(shell).toHaveRun('npm *', { times: 2 });
expect(shell).not.toHaveRunInOrder(['a', /b/]);
expect(shell).toHaveTouched(['src/a.js']);

// The answer of the function is that of withShell().
expectTypeOf(withShell('x', { mode: 'fakes' }, async () => 1)).toEqualTypeOf<Promise<number>>();
