import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { temporaryDirectory } from './support/directory.js';

const native = createRequire(import.meta.url)('../native.cjs');

const surroundings = { cwd: '/', environment: '' };
const noRules = { deny: [], ask: [], allow: [], allowsQueries: false, writable: [] };
const nothing = (name: string) => `${temporaryDirectory()}/${name}`;

it.each<[string, () => unknown, { code: string; option?: string }]>([
  [
    'a rule',
    () => native.readPolicy({ ...noRules, deny: ['Bash(ls)', 'Bash('] }),
    { code: 'ERR_INVALID_ARG_VALUE', option: 'deny[1]' },
  ],
  [
    'a sandbox',
    () => native.sandboxMistake('{"level":"none"}', '/', ''),
    { code: 'ERR_INVALID_ARG_VALUE', option: 'sandbox' },
  ],
  ['a dialect', () => native.toolDialect('none', '{}'), { code: 'ERR_INVALID_ARG_VALUE' }],
  [
    'a target',
    () => new native.Binding().createTarget('{}', '', []),
    { code: 'ERR_INVALID_ARG_VALUE', option: '' },
  ],
  [
    'a session',
    () =>
      new native.Binding().openSession({
        surroundings: { ...surroundings, shell: ['/bin/true'] },
        keepBackground: false,
      }),
    { code: 'ERR_INVALID_ARG_VALUE', option: 'shell' },
  ],
  [
    'a command',
    () => new native.Binding().run(1, { command: "'", split: true, surroundings }),
    { code: 'ERR_INVALID_ARG_VALUE', option: 'command' },
  ],
  [
    'a call of the bash tool',
    () => new native.Binding().start(1, { safeMode: false, surroundings }),
    { code: 'MISSING_COMMAND' },
  ],
  ['a request for more', () => native.escalated('{}', '/', '', '[]'), { code: 'ERR_INVALID_ARG_VALUE' }],
  ['a directory', () => new native.Binding().makePrivateDirectory(nothing('parent')), { code: 'ENOENT' }],
  ['a file', () => native.viewOf({ path: nothing('file'), endedWell: true }, {}), { code: 'ENOENT' }],
])('the addon returns its error in one shape: %s', async (_, ask, expected) => {
  expect(await ask()).toEqual({ message: expect.any(String), ...expected });
});
