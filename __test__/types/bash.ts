import { type BashArgs, bash } from 'agent-bash';
import { expectTypeOf } from 'expect-type';

expectTypeOf(bash).returns.toEqualTypeOf<Promise<string>>();
expectTypeOf(bash).parameter(0).toEqualTypeOf<BashArgs | null | undefined>();
expectTypeOf(bash).parameter(1).toEqualTypeOf<string>();
expectTypeOf(bash).parameter(2).toEqualTypeOf<boolean | undefined>();

void bash({ command: 'true' }, '/');
void bash({ cmd: 'true' }, '/', true);
void bash(null, '/');
void bash(undefined, '/');
// The arguments of a model have unknown types: bash() checks them at run time.
void bash({ command: 5, description: 'anything' }, '/');
void bash(JSON.parse('{}') as Record<string, unknown>, '/');

// @ts-expect-error The directory has no default.
void bash({ command: 'true' });
// @ts-expect-error The arguments are no string.
void bash('true', '/');
// @ts-expect-error The directory is a string.
void bash({ command: 'true' }, new URL('file:///'));
// @ts-expect-error Safe mode is a boolean.
void bash({ command: 'true' }, '/', 'safe');
// @ts-expect-error There are no options.
void bash({ command: 'true' }, '/', false, { timeout: 1 });
