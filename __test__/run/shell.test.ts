import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { has } from '../../scripts/machine.mjs';
import { BASH_DOES } from '../support/bash.js';
import { temporaryDirectory } from '../support/directory.js';
import { INSTALLED } from '../support/shells.js';

const directory = temporaryDirectory();
const program = (name: string, text: string, mode = 0o755): string => {
  const path = join(directory, name);
  writeFileSync(path, text, { mode });
  return path;
};
/** Shows each of its arguments in a line. */
const SHOW = program('show', '#!/bin/sh\nfor word; do printf "<%s>\\n" "$word"; done\n');
const shown = (...words: string[]) => words.map((word) => `<${word}>\n`).join('');

describe('shell', () => {
  it("is 'auto' by default: bash, else sh, and no login shell", async () => {
    const name = existsSync('/bin/bash') ? '/bin/bash' : 'sh';
    for (const options of [{}, { shell: undefined }, { shell: 'auto' }]) {
      expect((await run('echo "$0"', options)).stdout).toBe(`${name}\n`);
    }
  });

  it.each([...INSTALLED, '/bin/sh'])('may be a path: %s', async (shell) => {
    expect((await run('echo "$0"; exit 3', { shell })).stdout).toBe(`${shell}\n`);
    expect((await run('exit 3', { shell })).exitCode).toBe(3);
  });

  it('that is a path alone gets -c', async () => {
    expect((await run('a  "b" $c\n', { shell: SHOW })).stdout).toBe(shown('-c', 'a  "b" $c\n'));
    expect((await run('a b', { shell: [SHOW] })).stdout).toBe(shown('-c', 'a b'));
  });

  it('that has flags gets these and no others', async () => {
    expect((await run('a b', { shell: [SHOW, '-x', '', 'two words'] })).stdout).toBe(
      shown('-x', '', 'two words', 'a b'),
    );
  });

  it('obeys its flags', async () => {
    const strict = ['/bin/bash', '-euo', 'pipefail', '-c'];
    expect((await run('false | true; echo never', { shell: strict })).exitCode).toBe(1);
    expect((await run('false | true; echo on', { shell: '/bin/bash' })).stdout).toBe('on\n');
    expect((await run('echo "$NOT_SET_ANYWHERE"', { shell: strict })).stderr).toContain('unbound variable');
  });

  it('may be a name, which is looked for in PATH', async () => {
    expect((await run('a', { shell: 'show', env: { PATH: `${directory}:/bin` } })).stdout).toBe(
      shown('-c', 'a'),
    );
  });

  it.each([
    ['is missing', '/no/such/shell', 'ENOENT', 'spawn /no/such/shell ENOENT'],
    ['is in no directory of PATH', 'no-such-shell', 'ENOENT', 'spawn no-such-shell ENOENT'],
    [
      'is not executable',
      program('plain', '#!/bin/sh\n', 0o644),
      'EACCES',
      `spawn ${directory}/plain EACCES`,
    ],
    ['is a directory', directory, 'EACCES', `spawn ${directory} EACCES`],
    ['is below a file', join(SHOW, 'x'), 'ENOTDIR', 'spawn ENOTDIR'],
    [
      'has no interpreter',
      program('lost', '#!/no/such/interpreter\n'),
      'ENOENT',
      `spawn ${directory}/lost ENOENT`,
    ],
  ])('that %s is an error of the launch', async (_, shell, code, message) => {
    for (const result of [await run('true', { shell }), await run([shell])]) {
      const { status, exitCode, signal, pid, error } = result;
      expect({ status, exitCode, signal, pid, error }).toEqual({
        status: 'failed',
        exitCode: null,
        signal: null,
        pid: null,
        error: { code, message },
      });
    }
  });

  it.each(INSTALLED)('%s runs the command as it is given', async (shell) => {
    const command = 'printf "%s|" \'a\nb\' "é🦀" \\$HOME `echo x` $((1+2))\n# the end\n';
    const result = await run(command, { shell });
    expect([result.stdout, result.command]).toEqual(['a\nb|é🦀|$HOME|x|3|', command]);
  });

  it.each(['auto', '/bin/bash', '/bin/dash'])('%s does not take a command for a flag', async (shell) => {
    for (const command of ['--version', '-x', '+x']) {
      const { exitCode, stdout, stderr } = await run(command, { shell });
      expect({ exitCode, stdout }).toEqual({ exitCode: 127, stdout: '' });
      expect(stderr).toContain('not found');
    }
  });
});

describe('a command of more than 128 KiB', () => {
  const LENGTH = 300_000;
  const long = 'x'.repeat(LENGTH);

  it.each(
    [
      ...INSTALLED.map((shell) => [shell]),
      ['/bin/sh'],
      ['/bin/bash', '-euo', 'pipefail', '-c'],
      ['/bin/zsh', '-fc'],
    ]
      .filter(([shell = '']) => existsSync(shell))
      .map((shell) => [shell.join(' '), shell] as const),
  )('works in %s', async (_, shell) => {
    const command = `v='${long}'; echo "\${#v} $#"; cat; cat <<'END'\n$here\nEND\n(exit 7); exit $?\n\n`;
    const { stdout, stderr, exitCode, error } = await run(command, { shell, input: 'the input\n' });
    expect({ stdout, stderr, exitCode, error }).toEqual({
      stdout: `${LENGTH} 0\nthe input\n$here\n`,
      stderr: '',
      exitCode: 7,
      error: null,
    });
  });

  it.each([131_069, 131_070, 131_071, 131_072, 131_073])('or just about so: %d bytes', async (length) => {
    const command = `printf %s '${'y'.repeat(length - 12)}'`.padEnd(length, ' ');
    expect(Buffer.byteLength(command)).toBe(length);
    for (const shell of INSTALLED) {
      const { stdout, exitCode } = await run(command, { shell });
      expect({ length: stdout.length, exitCode }).toEqual({ length: length - 12, exitCode: 0 });
    }
  });

  it('has no open descriptor more than a short one', async () => {
    const list = '/bin/ls /proc/self/fd; :';
    const descriptors = async (command: string, shell: string) =>
      (await run(command, { shell })).stdout.split('\n').sort();
    for (const shell of ['/bin/bash', '/bin/dash']) {
      const more = BASH_DOES.keepLongCommandOpen && shell === '/bin/bash' ? ['10'] : [];
      expect(await descriptors(`: ${long}\n${list}`, shell)).toEqual(
        [...(await descriptors(list, shell)), ...more].sort(),
      );
    }
  });

  it('is reported in the result, whole', async () => {
    const command = `: ${long}`;
    expect((await run(command)).command === command).toBe(true);
  });

  it('can not be an argument of an array', async () => {
    expect((await run(['echo', long])).error?.code).toBe('E2BIG');
  });

  it.for([
    ['python3', ['python3', '-c'], 'print(6*7)'],
    ['node', [process.execPath, '-e'], 'console.log(6*7)'],
    ['a shell behind another program', ['/usr/bin/env', 'bash', '-c'], 'echo 42'],
  ] as const)('works in %s, or is refused', async ([name, shell, code], { skip }) => {
    skip(name === 'python3' && !has('python3'), 'this machine has no python3 (npm run doctor)');
    const comment = code.startsWith('console') ? '//' : '#';
    const { status, stdout, error } = await run(`${comment}${long}\n${code}`, { shell });
    expect(status === 'exited' ? stdout : error?.code).toBe(status === 'exited' ? '42\n' : 'E2BIG');
  });
});

describe('shell: false', () => {
  it.each([
    ['words', 'a b  c\td\ne', ['a', 'b', 'c', 'd', 'e']],
    ['single quotes', `'a  b' 'c"d' 'e\\f' ''`, ['a  b', 'c"d', 'e\\f', '']],
    ['double quotes', `"a  b" "c'd" "e\\"f" "g\\h" ""`, ['a  b', "c'd", 'e"f', 'g\\h', '']],
    ['quotes inside a word', `a'b c'd"e f"g`, ['ab cde fg']],
    ['backslashes', 'a\\ b \\"c\\" d\\\\e f\\\ng', ['a b', '"c"', 'd\\e', 'fg']],
    ['backslashes in double quotes', '"a\\$b" "c\\`d" "e\\\\f" "g\\\nh"', ['a$b', 'c`d', 'e\\f', 'gh']],
    ['what a shell would expand', '$HOME * ~ `x` $(y) {a,b}', ['$HOME', '*', '~', '`x`', '$(y)', '{a,b}']],
    ['a comment', 'a#b # c d', ['a#b']],
    ['other characters', 'é 🦀', ['é', '🦀']],
  ])('splits %s as a POSIX shell', async (_, text, words) => {
    const result = await run(`${SHOW} ${text}`, { shell: false });
    expect([result.stdout, result.command]).toEqual([shown(...words), `${SHOW} ${text}`]);
  });

  it.each(["echo 'a", 'echo "a', "''", '# only a comment', '""'])('rejects %j', async (command) => {
    await expect(run(command, { shell: false })).rejects.toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_VALUE',
      message: expect.stringContaining('command'),
    });
  });

  it('needs the program, and no shell', async () => {
    const { error } = await run('no-such-program --flag', { shell: false });
    expect(error).toEqual({ code: 'ENOENT', message: 'spawn no-such-program ENOENT' });
  });
});

describe('a command that is an array', () => {
  const ODD = [
    '',
    ' ',
    '-n',
    '--',
    'a b',
    'a\nb\n',
    '\t',
    "it's",
    '"quoted"',
    '\\',
    '\\n',
    '$HOME',
    '`id`',
    '$(id)',
    '!!',
    '*',
    '?[a]',
    '~',
    '#x',
    'a;b',
    'a&b',
    'a|b',
    '<a>',
    '(a)',
    '{a,b}',
    'a=b',
    '%s%d',
    'é',
    '🦀',
    '\u0001\u001b[31m',
    '\u007f',
    '\u2028',
    '\ufeff',
    "'\\''",
  ];

  it('is passed on word for word', async () => {
    expect((await run([SHOW, ...ODD])).stdout).toBe(shown(...ODD));
    expect((await run([SHOW, ...ODD], { shell: false })).stdout).toBe(shown(...ODD));
  });

  it.each(INSTALLED)('is reported as text that %s reads as the same', async (shell) => {
    const { command } = await run([SHOW, ...ODD]);
    expect((await run(command, { shell })).stdout).toBe(shown(...ODD));
  });

  it('is reported without quotes where none are needed', async () => {
    expect((await run(['echo', 'a', 'b/c.d-e_f'])).command).toBe('echo a b/c.d-e_f');
  });

  it('may have very many words', async () => {
    const words = Array.from({ length: 5000 }, (_, index) => `word ${index}`);
    expect((await run([SHOW, ...words])).stdout).toBe(shown(...words));
  });

  it('is not changed by a change of the array after the call', async () => {
    const words = [SHOW, 'before'];
    const answer = run(words);
    words[1] = 'after';
    expect((await answer).stdout).toBe(shown('before'));
  });
});
