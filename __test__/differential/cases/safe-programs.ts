import { type Case, put, safe } from './case.js';
import { SHOW_ARGUMENTS } from './safe-words.js';

const ONE_WORD = ['git', 'grep', 'rg', 'find', 'ls', 'cat', 'head', 'tail', 'wc', 'pytest'];
const TWO_WORDS = ['swift test', 'xcodebuild test', 'npm test'];

/** Every program that safe mode could ask for, replaced by one that shows its arguments. */
function stubs(dir: string): void {
  const others = [
    'swift',
    'xcodebuild',
    'npm',
    'gitt',
    'git-foo',
    'GIT',
    'LS',
    'rm',
    'sh',
    'swift test',
    'npm test',
    'git status',
  ];
  for (const name of [...ONE_WORD, ...others]) put(dir, `bin/${name}`, SHOW_ARGUMENTS, 0o755);
}

const shown = (name: string, text: string): Case =>
  safe(name, text, { setup: stubs, env: (dir) => ({ PATH: `${dir}/bin:/usr/bin:/bin` }) });

const missing = (name: string, text: string): Case =>
  safe(name, text, { setup: (dir) => put(dir, 'bin/other'), env: (dir) => ({ PATH: `${dir}/bin` }) });

const allowed = [...ONE_WORD, ...TWO_WORDS].flatMap((text) => [
  shown(`${text} alone is allowed`, text),
  shown(`${text} with arguments is allowed`, `${text} one --two 'three four'`),
  shown(`${text} as one quoted word`, `'${text}'`),
  shown(`${text} as one quoted word with an argument`, `"${text}" x`),
  shown(`${text} in capitals is not allowed`, text.toUpperCase()),
  missing(`${text} that is not installed`, `${text} x`),
  missing(`${text} as one word that is not installed`, `"${text}"`),
]);

const NEAR_MISSES = [
  'gitt',
  'git-foo',
  'git-status',
  'Git status',
  'gi t',
  'g it',
  './git status',
  '/usr/bin/git status',
  '/bin/ls',
  './ls',
  '../ls',
  'ls/',
  'ls.',
  'ls;',
  'ls\nx',
  'ls\\\nx',
  'cat|head',
  'egrep x',
  'fgrep x',
  'zgrep x',
  'rgrep x',
  'ripgrep x',
  'findx',
  'less x',
  'rm -rf x',
  'sh -c ls',
  'env ls',
  'command ls',
  'exec ls',
  'sudo ls',
  'xargs ls',
  'echo hi',
  'npm',
  'npm run test',
  'npm tests',
  'npm  run',
  'npm t',
  'npm --silent test',
  'npm testing',
  'npm test\n',
  'npm\ntest',
  'swift',
  'swift build',
  'swift tests',
  'swift "test x"',
  'swift test\nx',
  'swift\u00a0test',
  'swift\ntest',
  'xcodebuild',
  'xcodebuild build',
  'xcodebuild -scheme a test',
  'test',
  'test swift',
  'pytest-3 x',
  'py.test x',
  'python -m pytest',
  'git status; rm -rf /',
  'ls && rm x',
  '(ls)',
  '{ ls; }',
  '$(ls)',
  '`ls`',
  '!ls',
  '#ls',
  '-ls',
  '=ls',
  'ls=1 ls',
  'ｌｓ',
  'l\u200bs',
  'lş',
  'git\u0301',
  '1',
  '日本語',
];

const WRITTEN_OTHERWISE: Array<[string, string]> = [
  ['swift and test with two spaces', 'swift  test'],
  ['swift and test with a tab', 'swift\ttest'],
  ['swift and test with an empty word between', 'swift "" test'],
  ['swift and test behind an empty word', '"" swift test'],
  ['swift test with an escaped space', 'swift\\ test'],
  ['swift test with a quoted space', 'swift" "test'],
  ['swift test as one word behind an empty word', `'' "swift test"`],
  ['swift test as one word before an empty word', `"swift test" ''`],
  ['swift test as one word with two spaces', '"swift  test"'],
  ['swift with a final space quoted', '"swift " test'],
  ['test with a leading space quoted', 'swift " test"'],
  ['npm test as one word', '"npm test"'],
  ['git status as one word', '"git status"'],
  ['git with a space quoted', '"git "'],
  ['git in pieces', `g'i'"t" a`],
  ['git with backslashes', '\\g\\i\\t a'],
  ['git behind empty quotes', '""git a'],
  ['git before empty quotes', "git'' a"],
  ['git behind an empty word', "'' git a"],
  ['ls with a trailing backslash', 'ls\\'],
  ['ls with blanks around it', '  \t ls a \t '],
  ['ls with newlines around it', '\n\nls a\n\n'],
];

const real = [
  safe('git tells its version', 'git --version'),
  safe('git outside of a repository', 'git status', {
    env: (dir) => ({ GIT_CEILING_DIRECTORIES: `${dir}/..` }),
  }),
  safe('git does not know a command', 'git no-such-command', { env: () => ({ LC_ALL: 'C' }) }),
  safe('grep finds lines', 'grep -n two file', { setup: (dir) => put(dir, 'file', 'one\ntwo\n') }),
  safe('grep without a match exits with 1', 'grep three file', { setup: (dir) => put(dir, 'file', 'one\n') }),
  safe('grep with a wrong pattern exits with 2', "grep '[' file", {
    setup: (dir) => put(dir, 'file', 'one\n'),
  }),
  safe('find by name', 'find . -name "*.txt"', { setup: (dir) => put(dir, 'sub/a.txt') }),
  safe('ls of an empty directory', 'ls'),
  safe('ls of files', 'ls -1 sub', {
    setup: (dir) => {
      for (const name of ['a', 'b', 'c d']) put(dir, `sub/${name}`);
    },
  }),
  safe('ls of a missing file', 'ls missing'),
  safe('cat of two files', "cat a 'b c'", {
    setup: (dir) => {
      put(dir, 'a', 'first\n');
      put(dir, 'b c', 'second');
    },
  }),
  safe('cat of a file and a missing one', 'cat a missing', { setup: (dir) => put(dir, 'a', 'first\n') }),
  safe('cat of bytes that are no UTF-8', 'cat a', {
    setup: (dir) => put(dir, 'a', Buffer.from([0xff, 0xe2, 0x82])),
  }),
  safe('head of a file', 'head -n 1 a', { setup: (dir) => put(dir, 'a', 'one\ntwo\n') }),
  safe('tail of a file', 'tail -n 1 a', { setup: (dir) => put(dir, 'a', 'one\ntwo\n') }),
  safe('wc of a file', 'wc -l a', { setup: (dir) => put(dir, 'a', 'one\ntwo\n') }),
  safe('an unknown option', 'ls --no-such-option'),
];

export const safePrograms = [
  ...allowed,
  ...NEAR_MISSES.map((text) => shown(`near an allowed program: ${JSON.stringify(text)}`, text)),
  ...WRITTEN_OTHERWISE.flatMap(([label, text]) => [
    shown(label, text),
    missing(`${label}, not installed`, text),
  ]),
  ...real,
];
