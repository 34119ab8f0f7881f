import { type Case, command, leaving, put, safe } from './case.js';

/** The longest argument of a program on Linux, without the NUL that closes it. */
const LONGEST = 131_071;
const LONG = 200_000;

/**
 * A command made longer by a comment in its last line must answer as without it. So the oracle, which could
 * not launch the long one, is asked with the short one.
 */
function padded(name: string, text: string, size: number, extra: Partial<Case> = {}): Case {
  const start = `${text}\n#`;
  const filled = start + 'x'.repeat(size - Buffer.byteLength(start));
  return { name, args: { command: filled }, equivalent: { command: `${start}x` }, ...extra };
}

/** Pads a command whose end matters: the comment is its first line. */
function preceded(name: string, text: string, extra: Partial<Case> = {}): Case {
  return {
    ...extra,
    name,
    args: { command: `#${'x'.repeat(LONG)}\n${text}` },
    equivalent: { command: `#x\n${text}` },
  };
}

/**
 * A long command is evaluated by its shell, and the shell's own messages say so in front: `(eval):1:`, `eval:
 * line 1:`.
 */
const lessTheLabel = {
  reading: (answer: string) => answer.replaceAll(/^(zsh|\(eval\)):| (eval|-c):/gm, ''),
};

const sizes = [LONGEST - 1, LONGEST, LONGEST + 1, LONGEST + 2, 200_000, 1_000_000, 3_000_000].map((size) =>
  padded(`a command of ${size} bytes runs`, 'echo start; echo err >&2; exit 9', size),
);

/** Programs of the same name as what a shell might need to get at a long command. */
const MISLEADING = 'cat() { echo "the wrong cat"; }\nalias cat="echo the wrong cat"\n';

const alike: Case[] = [
  padded(
    'a long command’s standard input is empty',
    'cat; read -r x; echo "$? [$x]"; readlink /proc/self/fd/0',
    LONG,
  ),
  padded('a long command has no descriptors of ours', 'ls /proc/self/fd', LONG),
  padded('a long command’s $0 is that of a short one', 'echo "$0 $#"', LONG),
  padded(
    'a long command’s shell errors read as in a short one',
    'no-such-program-at-all\ncd /nowhere',
    LONG,
    lessTheLabel,
  ),
  padded(
    'a long command with a syntax error runs as much as a short one',
    'echo first\n)',
    LONG,
    lessTheLabel,
  ),
  padded('a long command is not interactive', 'case $- in *i*) echo interactive;; *) echo not;; esac', LONG),
  padded('a long command can be ended by a signal', 'echo before; kill -TERM $$; echo after', LONG),
  padded('a long command that replaces its shell', "exec sh -c 'echo replaced; exit 3'", LONG),
  padded('a long command with a background job', leaving('echo late', 'echo first'), LONG),
  padded('a long command that returns', 'return 4', LONG),
  padded('a long command with an exit trap', "trap 'echo bye' EXIT; echo hi", LONG),
  padded('a long command in a missing workspace', 'echo never', LONG, { cwd: (dir) => `${dir}/missing` }),
  padded('a long command with a file as its workspace', 'echo never', LONG, {
    setup: (dir) => put(dir, 'file'),
    cwd: (dir) => `${dir}/file`,
  }),
  padded('a long command reads its start files once', 'echo hi', LONG, {
    setup: (dir) => {
      for (const name of ['.zshenv', '.bash_profile', '.profile']) put(dir, name, 'echo "read start file"\n');
    },
    env: (dir) => ({ HOME: dir }),
  }),
  padded('a long command whose start files have a cat of their own', 'echo hi', LONG, {
    setup: (dir) => {
      for (const name of ['.zshenv', '.bash_profile', '.profile']) put(dir, name, MISLEADING);
    },
    env: (dir) => ({ HOME: dir }),
  }),
  padded('a long command with an empty PATH', 'echo hi', LONG, { env: () => ({ PATH: '' }) }),
  padded('a long command with a PATH that leads nowhere', 'echo hi', LONG, {
    env: () => ({ PATH: '/nowhere' }),
  }),
  padded('a long command without PATH', 'echo hi', LONG, { env: () => ({ PATH: undefined }) }),
  padded('a long command with another cat in PATH', 'echo hi', LONG, {
    setup: (dir) => put(dir, 'cat', '#!/bin/sh\necho the wrong cat\n', 0o755),
    env: (dir) => ({ PATH: `${dir}:/usr/bin:/bin` }),
  }),
  padded('a long command uses the third descriptor itself', 'exec 3>file; echo three >&3; cat file', LONG),
  padded(
    'a long command finds the third descriptor closed',
    '{ echo three >&3; } 2>/dev/null; echo $?',
    LONG,
  ),
  padded('a long command knows its line', 'echo "$LINENO"\necho "$LINENO"', LONG),
  padded('a long command stops at the first failure', 'set -e; echo one; false; echo two', LONG),
  padded(
    'a long command with an unset parameter',
    'set -u; { echo "$missing"; echo after; } 2>/dev/null',
    LONG,
  ),
  padded('a long command sets positional parameters', 'set -- a b; shift; echo "$# $1"', LONG),
  padded('a long command has no variables of ours', 'env | cut -d= -f1 | sort', LONG),
  preceded('a long command that ends with a continued line', 'echo a \\\n'),
  preceded('a long command that ends with a backslash', 'echo a \\'),
  preceded('a long command that ends with newlines', 'echo a\n\n\n'),
  preceded('a long command that ends with a carriage return', 'echo a\r'),
  preceded('a long command that ends inside a here-document', 'cat 2>/dev/null <<END\nopen\n\n\n'),
  preceded('a long command that ends inside quotes', "echo 'open\n\n", lessTheLabel),
];

const words = Array.from({ length: 1_500 }, (_, index) => `word-${index}-${'x'.repeat(90)}`).join(' ');

export const longCommands = [
  ...sizes,
  ...alike,
  command('a long word of a builtin', `echo ${'a'.repeat(150_000)} | wc -c`),
  command('a long list of words', `for w in ${words}; do :; done; echo "$w"`),
  command('a long here-document', `cat <<'END' | wc\n${'line of text\n'.repeat(20_000)}END`),
  command(
    'a long here-document with expansion',
    `cat <<END | tail -n 1\n${'line of text\n'.repeat(20_000)}$((6*7))\nEND`,
  ),
  command('a long assignment in quotes', `x='${"a'\\''b".repeat(30_000)}'; echo "\${#x}"`),
  command('a long command of many lines', `${':\n'.repeat(70_000)}echo end`),
  command('a long command of unicode', `x=${'é€😀'.repeat(20_000)}; printf %s "$x" | wc -c`),
  command('a long command with functions', `f() { echo "f $1"; }\n${`f ${'x'.repeat(70)}\n`.repeat(2_000)}`),
  command('a long command with CRLF', `echo '${'a\r\n'.repeat(60_000)}' | wc`),
  command(
    'a long argument of a program is the kernel’s affair',
    `/bin/echo ${'a'.repeat(150_000)} 2>/dev/null; echo $?`,
  ),
  safe('a long word in safe mode is refused by the kernel', `ls ${'a'.repeat(140_000)}`),
  safe('the longest word in safe mode', `ls ${'a/'.repeat(65_535)}b`),
  safe('one byte more than the longest word in safe mode', `ls ${'a/'.repeat(65_536)}`),
  safe('many words in safe mode', `grep -c x ${'/dev/null '.repeat(20_000)}`),
  safe('more words than the kernel takes in safe mode', `grep -c x ${'/dev/null '.repeat(250_000)}`),
];
