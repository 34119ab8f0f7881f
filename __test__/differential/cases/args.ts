import { type Case, codePoint } from './case.js';

const BLANK = [
  ...[
    '\t',
    '\n',
    '\v',
    '\f',
    '\r',
    ' ',
    '\u00a0',
    '\u1680',
    '\u2000',
    '\u2001',
    '\u2002',
    '\u2003',
    '\u2004',
  ],
  ...['\u2005', '\u2006', '\u2007', '\u2008', '\u2009', '\u200a', '\u2028', '\u2029', '\u202f', '\u205f'],
  ...['\u3000', '\ufeff'],
];

/** Characters that look blank, or once were, but JavaScript's trim leaves them. */
const NOT_BLANK = [
  '\u0085',
  '\u180e',
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2060',
  '\u2800',
  '\u00ad',
  '\u001c',
  '\u001f',
];

const blanks: Case[] = BLANK.flatMap((char) => [
  { name: `${codePoint(char)} alone is no command`, args: { command: char, cmd: 'echo c' } },
  { name: `${codePoint(char)} twice in both keys is no command`, args: { command: char + char, cmd: char } },
  {
    name: `${codePoint(char)} around a command is kept in the shell`,
    args: { command: `${char}echo hi${char}` },
  },
]);

const nonBlanks: Case[] = NOT_BLANK.flatMap((char) => [
  { name: `${codePoint(char)} alone is a command`, args: { command: char, cmd: 'echo c' } },
  { name: `${codePoint(char)} among blanks is a command`, args: { command: ` ${char} `, cmd: 'echo c' } },
]);

const VALUES: Array<[string, unknown]> = [
  ['a number', 5],
  ['zero', 0],
  ['NaN', Number.NaN],
  ['true', true],
  ['null', null],
  ['undefined', undefined],
  ['an empty string', ''],
  ['an array of one string', ['echo array']],
  ['an empty object', {}],
  ['an object with toString', { toString: () => 'echo object' }],
  ['a String object', new String('echo object')],
  ['a symbol', Symbol('echo symbol')],
  ['a bigint', 5n],
  ['a function', () => 'echo function'],
  ['a date', new Date(0)],
  ['a Buffer', Buffer.from('echo buffer')],
];

const values: Case[] = VALUES.flatMap(([label, value]) => [
  { name: `${label} as command falls through to cmd`, args: { command: value, cmd: 'echo c' } },
  { name: `${label} as command and no cmd is missing`, args: { command: value } },
  { name: `${label} as cmd and no command is missing`, args: { cmd: value } },
  { name: `${label} in place of the arguments is missing`, args: value },
]);

class WithGetter {
  get command(): string {
    return 'echo from a class';
  }
}

const withProperty = (property: PropertyDescriptor): object => Object.defineProperty({}, 'command', property);

const objects: Case[] = [
  { name: 'command wins over cmd', args: { command: 'echo command', cmd: 'echo cmd' } },
  { name: 'command wins in whatever order', args: { cmd: 'echo cmd', command: 'echo command' } },
  { name: 'cmd alone is enough', args: { cmd: 'echo cmd' } },
  { name: 'cmd is passed untrimmed', args: { cmd: '  echo cmd  \n' } },
  { name: 'no key at all is missing', args: {} },
  {
    name: 'other keys are ignored',
    args: { script: 'echo s', command: 'echo c', timeout: 1, cwd: '/nowhere' },
  },
  { name: 'other spellings are no keys', args: { Command: 'echo a', CMD: 'echo b', ' cmd': 'echo c' } },
  {
    name: 'a getter is read',
    args: {
      get command() {
        return 'echo getter';
      },
    },
  },
  {
    name: 'a getter on cmd is read',
    args: {
      get cmd() {
        return 'echo getter';
      },
    },
  },
  {
    name: 'a getter without a value falls through',
    args: {
      get command() {
        return undefined;
      },
      cmd: 'echo c',
    },
  },
  { name: 'a getter of a class is read', args: new WithGetter() },
  { name: 'a setter alone has no value', args: { set command(_: string) {}, cmd: 'echo c' } },
  {
    name: 'an object without a prototype works',
    args: Object.assign(Object.create(null), { command: 'echo null' }),
  },
  { name: 'an inherited command works', args: Object.create({ command: 'echo inherited' }) },
  {
    name: 'an own blank command hides an inherited one',
    args: Object.assign(Object.create({ command: 'echo no' }), { command: ' ' }),
  },
  {
    name: 'a command that is not enumerable works',
    args: withProperty({ value: 'echo hidden', enumerable: false }),
  },
  { name: 'a frozen object works', args: Object.freeze({ command: 'echo frozen' }) },
  {
    name: 'a proxy is asked',
    args: new Proxy({}, { get: (_, key) => (key === 'command' ? 'echo proxy' : undefined) }),
  },
  {
    name: 'a proxy that is asked for cmd',
    args: new Proxy({}, { get: (_, key) => (key === 'cmd' ? 'echo proxy' : 1) }),
  },
  {
    name: 'an array with a command property works',
    args: Object.assign(['echo element'], { command: 'echo property' }),
  },
  { name: 'an array of strings is missing', args: ['echo a', 'echo b'] },
  { name: 'a map is missing', args: new Map([['command', 'echo map']]) },
  { name: 'a symbol as the key is missing', args: { [Symbol('command')]: 'echo symbol' } },
  { name: 'a string in place of the arguments is missing', args: 'echo hi' },
];

const SAFE_FLAGS: Array<[string, unknown]> = [
  ['true', true],
  ['1', 1],
  ['-1', -1],
  ['a string', 'false'],
  ['an object', {}],
  ['an array', []],
  ['a bigint', 1n],
  ['a symbol', Symbol('safe')],
  ['a function', () => false],
  ['a Boolean object of false', new Boolean(false)],
  ['false', false],
  ['0', 0],
  ['minus zero', -0],
  ['NaN', Number.NaN],
  ['zero as a bigint', 0n],
  ['an empty string', ''],
  ['null', null],
  ['undefined', undefined],
];

const flags: Case[] = SAFE_FLAGS.map(([label, safeMode]) => ({
  name: `${label} as the flag decides by its truth`,
  args: { command: 'echo in the shell' },
  safeMode,
}));

/** Where several things are wrong, one answer is given. */
const order: Case[] = [
  { name: 'a missing command comes before safe mode', args: {}, safeMode: true },
  { name: 'a missing command comes before the workspace', args: null, cwd: () => 5 },
  { name: 'a missing command comes before NUL in the workspace', args: { command: ' ' }, cwd: () => '\0' },
  { name: 'open quotes come before the workspace', args: { command: 'ls "' }, safeMode: true, cwd: () => 5 },
  {
    name: 'a command that is not allowed comes before the workspace',
    args: { command: 'rm x' },
    safeMode: true,
    cwd: () => 5,
  },
  { name: 'a command that is not allowed comes before NUL', args: { command: 'rm \0' }, safeMode: true },
  { name: 'NUL in a workspace comes before its absence', args: { command: 'true' }, cwd: () => '/nowhere\0' },
];

export const args = [...blanks, ...nonBlanks, ...values, ...objects, ...flags, ...order];
