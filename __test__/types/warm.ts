import { type CommandOptions, Jobs, type PrewarmOptions, prewarm, run } from 'agent-bash';
import { expectTypeOf } from 'expect-type';

expectTypeOf(prewarm).toEqualTypeOf<(options?: PrewarmOptions) => boolean>();
expectTypeOf<CommandOptions['warm']>().toEqualTypeOf<boolean | undefined>();

prewarm();
prewarm({
  cwd: new URL('file:///tmp'),
  root: '/',
  env: { A: '1', REMOVED: undefined },
  extendEnv: false,
  nonInteractive: true,
  shell: ['/bin/bash', '-lc'],
  limits: { openFiles: 50 },
  merge: true,
  count: 16,
});
prewarm({ count: undefined, merge: undefined });
void run('true', { warm: true });
new Jobs().start('true', { warm: true });

// @ts-expect-error The commands come later.
prewarm('true');
// @ts-expect-error This belongs to the command.
prewarm({ timeout: 1_000 });
// @ts-expect-error A number.
prewarm({ count: '2' });
// @ts-expect-error Not a number.
void run('true', { warm: 1 });
