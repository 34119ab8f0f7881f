import { type Case, codePoint, put, safe } from './case.js';

/** Prints each of its arguments between brackets, so that the words can be seen from outside. */
export const SHOW_ARGUMENTS = `#!/bin/sh\nfor word; do printf '[%s]\\n' "$word"; done\n`;

/** A `pytest` of the case's own that shows what reached it. */
const SHOWN = {
  setup: (dir: string) => put(dir, 'bin/pytest', SHOW_ARGUMENTS, 0o755),
  env: (dir: string) => ({ PATH: `${dir}/bin:/usr/bin:/bin` }),
};

const shown = (name: string, words: string): Case => safe(name, `pytest ${words}`, SHOWN);

const splitting = [
  shown('spaces split words', 'a b c'),
  shown('several spaces split once', 'a   b'),
  shown('tabs split words', 'a\tb\t\tc'),
  shown('spaces and tabs mix', 'a \t b'),
  shown('a newline stays inside a word', 'a\nb'),
  shown('newlines around a space', 'a\n \nb'),
  shown('a carriage return stays inside a word', 'a\rb'),
  shown('a vertical tab and a form feed stay inside a word', 'a\vb\fc'),
  shown('a final newline is trimmed', 'a\n'),
  shown('a final escaped space loses its space and then its backslash', 'a\\ '),
  shown('a final escaped newline is trimmed likewise', 'a\\\n'),
  shown('a no-break space stays inside a word', 'a\u00a0b'),
  shown('unicode spaces stay inside words', 'a\u2003b\u3000c\u2028d\ufeffe'),
  shown('a final no-break space is trimmed', 'a\u00a0'),
  shown('a final byte order mark is trimmed', 'a\ufeff'),
  shown('a final U+0085 is not trimmed', 'a\u0085'),
  shown('a zero-width space is a character', 'a\u200bb\u200b'),
  shown('words of unicode', 'é € 😀 日本語'),
  shown('a lone surrogate becomes U+FFFD', 'a\ud800b'),
  shown('control characters stay', 'a\u0001b\u007f'),
];

const quoting = [
  shown('single quotes keep spaces', "'a b' c"),
  shown('double quotes keep spaces', '"a b" c'),
  shown('quotes join with what is next to them', `a'b c'd"e f"g`),
  shown('single quotes inside double quotes are literal', `"it's"`),
  shown('double quotes inside single quotes are literal', `'say "x"'`),
  shown('a backslash inside single quotes is literal', `'a\\b\\'`),
  shown('a backslash inside double quotes takes any character', `"a\\b\\n\\$\\\\"`),
  shown('an escaped double quote inside double quotes', `"a\\"b"`),
  shown('an escaped single quote inside double quotes', `"a\\'b"`),
  shown('a backslash outside of quotes takes any character', 'a\\b \\n \\$'),
  shown('an escaped space joins', 'a\\ b'),
  shown('an escaped tab joins', 'a\\\tb'),
  shown('an escaped newline is a newline', 'a\\\nb'),
  shown('an escaped newline inside double quotes is a newline', '"a\\\nb"'),
  shown('escaped quotes are literal', `\\'a\\" b`),
  shown('an escaped backslash', 'a\\\\b'),
  shown('an escaped backslash before a space', 'a\\\\ b'),
  shown('an escaped backslash at the end', 'a\\\\'),
  shown('three backslashes at the end', 'a\\\\\\'),
  shown('a trailing backslash is dropped', 'a\\'),
  shown('a trailing backslash alone is no word', 'a \\'),
  shown('an escaped character outside the basic plane', 'a\\😀b'),
  shown('an empty word in double quotes is dropped', 'a "" b'),
  shown('an empty word in single quotes is dropped', "a '' b"),
  shown('empty quotes inside a word vanish', `a""b''c`),
  shown('empty quotes side by side are dropped', `""'' a`),
  shown('a quoted space is a word', '" " a'),
  shown('a quoted newline is a word', "'\n'"),
  shown('quotes over two lines', '"a\nb"'),
  shown('quoted shell characters', `'$HOME' "$(id)" '*' "|"`),
];

const literal = [
  shown('a semicolon is no separator', 'a; echo x'),
  shown('a variable is not expanded', '$HOME ${HOME} "$HOME"'),
  shown('a glob is not expanded', '* *.py [a-z]?'),
  shown('a substitution is not run', '$(id) `id`'),
  shown('a pipe is a word', 'a | head'),
  shown('redirections are words', '> out < in 2>&1'),
  shown('and-or lists are words', 'a && b || c'),
  shown('an ampersand is a word', 'a &'),
  shown('braces are literal', '{a,b} {1..3}'),
  shown('a tilde is literal', '~ ~/x'),
  shown('a hash is no comment', 'a # b'),
  shown('parentheses are words', '( a )'),
  shown('history characters are literal', '!! !a'),
  shown('an assignment is a word', 'A=1 b'),
  safe('ls takes a semicolon and what follows as names', 'ls; echo x'),
  safe('ls takes words after a semicolon as names', 'ls ; echo x'),
  safe('ls takes a variable as a name', 'ls $HOME'),
  safe('ls takes a glob as a name', 'ls *', { setup: (dir) => put(dir, 'file') }),
  safe('ls takes a substitution as a name', 'ls $(id)'),
  safe('ls takes a tilde as a name', 'ls ~'),
  safe('cat takes a redirection as names', 'cat a > b', { setup: (dir) => put(dir, 'a', 'content\n') }),
  safe('git log takes a pipe as a path', 'git log | head'),
  safe('an assignment before the program is not allowed', 'A=1 ls'),
];

const EDGES = [
  '\n',
  '\r',
  '\v',
  '\f',
  '\u00a0',
  '\u1680',
  '\u2000',
  '\u2028',
  '\u2029',
  '\u202f',
  '\u205f',
  '\u3000',
  '\ufeff',
];
const NOT_EDGES = ['\u0085', '\u180e', '\u200b', '\u2060', '\u0000', '\u001c'];

const trimmed = [...EDGES, ...NOT_EDGES].flatMap((char) => [
  safe(`${codePoint(char)} around a safe command`, `${char}ls${char}`),
  safe(`${codePoint(char)} between program and option`, `ls${char}-d .`),
]);

const unreadable = [
  safe('an open single quote', "ls 'a"),
  safe('an open double quote', 'ls "a'),
  safe('a single quote alone', "'"),
  safe('a double quote alone', '"'),
  safe('a double quote that a backslash takes', 'ls "a\\"'),
  safe('a double quote before a final backslash', 'ls "a\\'),
  safe('a single quote that no backslash can take', "ls 'a\\'' b"),
  safe('a quote that another kind does not close', `ls 'a"`),
  safe('an open quote in a command that is not allowed', "rm 'x"),
  safe('an open quote after an allowed command and a newline', "ls\n'"),
  safe('empty quotes only', '""'),
  safe('empty quotes of both kinds only', `'' ""`),
  safe('a backslash only', '\\'),
  safe('a backslash and blanks only', ' \\ '),
  safe('a backslash behind empty quotes', '"" \\'),
  safe('a quoted backslash takes its quote', '"\\"'),
];

export const safeWords = [...splitting, ...quoting, ...literal, ...trimmed, ...unreadable];
