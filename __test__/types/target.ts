import { Jobs, run, Target, type TargetOptions } from 'agent-bash';
import { expectTypeOf } from 'expect-type';

const target = new Target({ ssh: { host: 'build', options: { ProxyJump: 'gate' } }, idle: 1_000 });
expectTypeOf(target.dispose()).toEqualTypeOf<Promise<void>>();
void run('true', { target });
void run('true', { target: { exec: ['kubectl', 'exec', '-i', 'pod', '--'] } });
void new Jobs().start('true', { target: { container: { name: 'app', engine: 'docker' } } });
void ({ exec: { argv: ['ssh', 'build'], join: true } } satisfies TargetOptions);

// @ts-expect-error a target is no name
void run('true', { target: 'build' });
// @ts-expect-error a container needs a name
new Target({ container: {} });
