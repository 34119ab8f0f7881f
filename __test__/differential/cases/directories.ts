import { mkdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Case, command, put, safe } from './case.js';

const WHERE = 'pwd; pwd -P; ls';

function named(label: string, name: string): Case {
  return command(`a workspace with ${label} in its name`, WHERE, {
    setup: (dir) => put(dir, `${name}/file`),
    cwd: (dir) => join(dir, name),
  });
}

/** Every kind of directory that can't be entered, once for the shell and once for safe mode. */
const unusable: Array<[string, (dir: string) => string, ((dir: string) => void)?]> = [
  ['a missing workspace', (dir) => join(dir, 'missing')],
  ['a workspace below a missing directory', (dir) => join(dir, 'missing/deeper')],
  ['a file as the workspace', (dir) => join(dir, 'file'), (dir) => put(dir, 'file')],
  ['a workspace below a file', (dir) => join(dir, 'file/deeper'), (dir) => put(dir, 'file')],
  ['a file with a final slash as the workspace', (dir) => `${join(dir, 'file')}/`, (dir) => put(dir, 'file')],
  [
    'a dangling link as the workspace',
    (dir) => join(dir, 'link'),
    (dir) => symlinkSync('missing', join(dir, 'link')),
  ],
  [
    'a link to itself as the workspace',
    (dir) => join(dir, 'loop'),
    (dir) => symlinkSync('loop', join(dir, 'loop')),
  ],
  ['a name that is too long as the workspace', (dir) => join(dir, 'n'.repeat(256))],
  ['a path that is too long as the workspace', (dir) => `${dir}${'/'.repeat(5000)}`],
  ['a device as the workspace', () => '/dev/null'],
  ['a blank as the workspace', () => ' '],
  ['a lone surrogate in the workspace', (dir) => `${dir}/\ud800`],
  ['a missing workspace with a newline', (dir) => `${dir}/missing\nline`],
  [
    'a workspace without permission to enter',
    (dir) => join(dir, 'closed'),
    (dir) => mkdirSync(join(dir, 'closed'), { mode: 0o600 }),
  ],
];

const failing: Case[] = unusable.flatMap(([label, cwd, setup]) => [
  command(`${label}, in the shell`, 'echo ran', { cwd, setup }),
  safe(`${label}, in safe mode`, 'cat', { cwd, setup }),
  safe(`${label}, with a program that is missing too`, 'swift test', {
    cwd,
    setup,
    env: () => ({ PATH: '/nowhere' }),
  }),
]);

const odd: Array<[string, unknown]> = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 7],
  ['true', true],
  ['an object', {}],
  ['an array', ['/tmp']],
  ['a String object', new String('/tmp')],
  ['a URL', pathToFileURL('/tmp')],
  ['a Buffer', Buffer.from('/tmp')],
  ['a symbol', Symbol('/tmp')],
  ['a function', () => '/tmp'],
];

const wrongType: Case[] = odd.flatMap(([label, value]) => [
  command(`${label} as the workspace is no path`, 'echo ran', { cwd: () => value }),
  safe(`${label} as the workspace is no path in safe mode either`, 'ls', { cwd: () => value }),
]);

export const directories = [
  named('a space', 'with space'),
  named('many spaces', ' a  b '),
  named('unicode', 'ünïcödé 日本語 🎉'),
  named('a newline', 'two\nlines'),
  named('quotes', `'single' "double"`),
  named('shell characters', '$HOME `id` ; & *'),
  named('a leading dash', '-rf'),
  named('a backslash', 'back\\slash'),
  named('a final dot', 'dots...'),
  named('255 bytes', 'n'.repeat(255)),
  command('a workspace with a final slash', WHERE, { cwd: (dir) => `${dir}/` }),
  command('a workspace with dots in its path', WHERE, {
    setup: (dir) => put(dir, 'sub/file'),
    cwd: (dir) => `${dir}/./sub/../sub/.`,
  }),
  command('a workspace reached over a link', WHERE, {
    setup: (dir) => {
      put(dir, 'real/file');
      symlinkSync('real', join(dir, 'link'));
    },
    cwd: (dir) => join(dir, 'link'),
  }),
  command('the workspace’s parent over a link', 'cd ..; pwd', {
    setup: (dir) => {
      put(dir, 'one/real/file');
      symlinkSync('one/real', join(dir, 'link'));
    },
    cwd: (dir) => join(dir, 'link'),
  }),
  command('a workspace over a link that PWD names', WHERE, {
    setup: (dir) => {
      put(dir, 'real/file');
      symlinkSync('real', join(dir, 'link'));
    },
    cwd: (dir) => join(dir, 'link'),
    env: (dir) => ({ PWD: join(dir, 'link') }),
  }),
  command('a relative workspace starts at the host’s directory', WHERE, {
    setup: (dir) => put(dir, 'file'),
    cwd: (dir) => relative(process.cwd(), dir),
  }),
  command('a dot as the workspace is the host’s directory', 'pwd', { cwd: () => '.' }),
  command('an empty workspace is the host’s directory', 'pwd', { cwd: () => '' }),
  safe('an empty workspace is the host’s directory in safe mode', 'ls -d .', { cwd: () => '' }),
  command('the root as the workspace', 'pwd', { cwd: () => '/' }),
  command('a tilde in the workspace is no home', 'pwd', { cwd: () => '~' }),
  command('/proc/self as the workspace', 'pwd -P | tr -d 0-9', { cwd: () => '/proc/self/' }),
  command('a workspace that the command removes', 'rmdir "$PWD"; echo $?; ls; echo still', {
    setup: (dir) => mkdirSync(join(dir, 'doomed')),
    cwd: (dir) => join(dir, 'doomed'),
  }),
  command('NUL in the workspace', 'echo ran', { cwd: (dir) => `${dir}\0` }),
  command('NUL alone as the workspace', 'echo ran', { cwd: () => '\0' }),
  command('NUL in command and workspace names the command', 'echo \0', { cwd: () => '/\0' }),
  command('NUL in the command', 'echo a\0b'),
  command('NUL at the end of the command', 'echo a\0'),
  command('NUL in a long command', `echo ${'x'.repeat(140_000)}\0`),
  command('NUL in the command, and the workspace is no path', 'echo \0', { cwd: () => 5 }),
  command('NUL in the command, and the workspace is missing', 'echo \0', {
    cwd: (dir) => join(dir, 'missing'),
  }),
  safe('NUL in a word of safe mode', 'ls a\0b'),
  safe('NUL in the workspace in safe mode', 'ls', { cwd: () => '\0' }),
  safe('NUL in the program of safe mode is not allowed', 'ls\0'),
  safe('NUL in safe mode, and the quotes are open', "ls 'a\0"),
  safe('NUL in safe mode, and the workspace is no path', 'ls a\0', { cwd: () => null }),
  ...failing,
  ...wrongType,
];
