// The commands whose results are the same on Linux and on Windows.

import type { RunOptions } from '../../index.js';
import { ARGUMENTS } from './arguments.js';
import type { Outcome } from './outcome.js';

/** A command with its result. */
export interface Comparison {
  command: string | readonly string[];
  options?: RunOptions | (() => RunOptions);
  /** The fields of its result that are unusual, on every system. */
  result: Partial<Outcome>;
  /** The fields that differ on Windows, with the reason. */
  onWindows?: Partial<Outcome> & { why: string };
}

/** Returns the words of a program that runs JavaScript. */
export const node = (program: string, ...args: string[]): string[] => [
  process.execPath,
  '-e',
  program,
  ...args,
];

const FOREVER = 'setInterval(() => {}, 1000);';
/** Leaves a process behind, without its output. */
const LEAVES_ONE = `
  const { spawn } = require('node:child_process');
  spawn(process.execPath, ['-e', ${JSON.stringify(FOREVER)}], { detached: true, stdio: 'ignore' }).unref();
`;
const OWN_ARGUMENTS = [...ARGUMENTS, '"', '/unix/path'];
const LINES = Array.from({ length: 2000 }, (_, index) => `line ${index}\n`).join('');

/** Command lines, in the language of bash. */
export const SHELL: Comparison[] = [
  { command: 'true', result: {} },
  { command: 'false', result: { exitCode: 1 } },
  { command: 'exit 3', result: { exitCode: 3 } },
  { command: 'exit 255', result: { exitCode: 255 } },
  { command: 'echo out', result: { stdout: 'out\n' } },
  { command: 'echo err >&2', result: { stderr: 'err\n' } },
  { command: 'echo out; echo err >&2; exit 4', result: { stdout: 'out\n', stderr: 'err\n', exitCode: 4 } },
  { command: "printf 'no newline'", result: { stdout: 'no newline' } },
  { command: "printf 'out'; printf 'err' >&2", result: { stdout: 'out', stderr: 'err' } },
  { command: "printf 'a\\tb\\n'", result: { stdout: 'a\tb\n' } },
  { command: 'echo "grüße 日本 😀"', result: { stdout: 'grüße 日本 😀\n' } },
  { command: 'x=1; echo $((x + 41))', result: { stdout: '42\n' } },
  { command: 'echo "${NOT_SET:-other}" "${NOT_SET-}"', result: { stdout: 'other \n' } },
  { command: 'for i in 1 2 3; do echo $i; done', result: { stdout: '1\n2\n3\n' } },
  { command: 'if [ a = a ]; then echo yes; else echo no; fi', result: { stdout: 'yes\n' } },
  { command: '[[ abc == a* ]] && echo match', result: { stdout: 'match\n' } },
  { command: 'case x in y) echo y;; *) echo other;; esac', result: { stdout: 'other\n' } },
  { command: 'f() { echo "in $1"; return 5; }; f x', result: { stdout: 'in x\n', exitCode: 5 } },
  { command: 'false || echo second', result: { stdout: 'second\n' } },
  { command: '(exit 7)', result: { exitCode: 7 } },
  { command: '! true', result: { exitCode: 1 } },
  { command: '{ echo a; echo b; }', result: { stdout: 'a\nb\n' } },
  { command: 'echo "$(echo inner; echo last)"', result: { stdout: 'inner\nlast\n' } },
  { command: 'echo one | while read -r line; do echo "got $line"; done', result: { stdout: 'got one\n' } },
  { command: 'set -o pipefail; false | true', result: { exitCode: 1 } },
  { command: 'false | true', result: {} },
  { command: 'set -e; false; echo never', result: { exitCode: 1 } },
  { command: 'a=(1 "2 3" 4); echo "${#a[@]} ${a[1]}"', result: { stdout: '3 2 3\n' } },
  { command: 'read -r x <<\'END\'\nin $x here\nEND\necho "$x"', result: { stdout: 'in $x here\n' } },
  { command: `printf '%s|' "a\\"b" 'c\\d\\' 'it'"'"'s' a\\\\b`, result: { stdout: `a"b|c\\d\\|it's|a\\b|` } },
  { command: "echo '%PATH% ^& !x!'", result: { stdout: '%PATH% ^& !x!\n' } },
  { command: "echo $'a\\tb'", result: { stdout: 'a\tb\n' } },
  { command: 'echo "$A"', options: { env: { A: 'ä "b" \\' } }, result: { stdout: 'ä "b" \\\n' } },
  { command: 'read -r line; echo "<$line>"', options: { input: 'text\n' }, result: { stdout: '<text>\n' } },
  {
    command: 'while read -r line; do echo "$line!"; done',
    options: { input: 'a\nb\n' },
    result: { stdout: 'a!\nb!\n' },
  },
  { command: 'read -r line; echo $?', result: { stdout: '1\n' } },
  {
    command: 'echo one; echo two >&2; echo three',
    options: { output: { merge: true } },
    result: { stdout: 'one\ntwo\nthree\n' },
  },
  { command: 'no-such-command 2>/dev/null', result: { exitCode: 127 } },
  { command: `x=${'a'.repeat(140_000)}; echo \${#x}`, result: { stdout: '140000\n' } },
  { command: 'echo "$0" >/dev/null; echo $#', result: { stdout: '0\n' } },
];

/** Programs without a shell. */
export const PROGRAMS: Comparison[] = [
  { command: node('process.exit(0)'), result: {} },
  { command: node('process.exit(255)'), result: { exitCode: 255 } },
  {
    command: node('process.reallyExit(256)'),
    result: { exitCode: 0 },
    onWindows: { exitCode: 256, why: 'an exit code has 32 bits' },
  },
  {
    command: node('process.reallyExit(-1)'),
    result: { exitCode: 255 },
    onWindows: { exitCode: 0xffff_ffff, why: 'an exit code has 32 bits' },
  },
  {
    command: node("process.stdout.write('out'); process.stderr.write('err'); process.exitCode = 9"),
    result: { stdout: 'out', stderr: 'err', exitCode: 9 },
  },
  {
    command: node('process.stdout.write(JSON.stringify(process.argv.slice(1)))', ...OWN_ARGUMENTS),
    result: { stdout: JSON.stringify(OWN_ARGUMENTS) },
  },
  {
    command: node('process.stdout.write(Buffer.from([97, 255, 98, 10]))'),
    result: { stdout: 'a\ufffdb\n', totalBytes: { stdout: 4, stderr: 0 } },
  },
  {
    command: node('process.stdout.write(Buffer.from([97, 255, 0, 10]))'),
    options: { encoding: 'buffer' } as never,
    result: { stdout: [97, 255, 0, 10], stderr: [] },
  },
  { command: node("process.stdout.write('a\\r\\nb\\r\\n')"), result: { stdout: 'a\r\nb\r\n' } },
  {
    command: node("process.stdout.write('\\x1b[31mred\\x1b[0m\\n')"),
    options: { output: { stripAnsi: true } },
    result: { stdout: 'red\n', totalBytes: { stdout: 13, stderr: 0 } },
  },
  {
    command: node("process.stdin.on('data', (d) => process.stdout.write(d))"),
    options: { input: 'grüße\r\n\u0000end' },
    result: { stdout: 'grüße\r\n\u0000end' },
  },
  {
    command: node("process.stdin.on('data', () => {}).on('end', () => console.log('end'))"),
    result: { stdout: 'end\n' },
  },
  {
    command: node('process.exitCode = 2'),
    options: { input: 'x'.repeat(1_000_000) },
    result: { exitCode: 2 },
  },
  {
    command: node(`process.stdout.write(${JSON.stringify(LINES.slice(0, 200))}.repeat(1000))`),
    options: { output: { maxBytes: 20, keep: 'head', cut: 'character', marker: '' } },
    result: { stdout: LINES.slice(0, 20), truncated: true, totalBytes: { stdout: 200_000, stderr: 0 } },
  },
  {
    command: node('for (let i = 0; i < 2000; i++) console.log(`line ${i}`)'),
    options: { output: { maxBytes: 40, marker: '\n[{bytes} of {total}, {lines}]\n' } },
    result: {
      stdout: 'line 0\nline 1\nline 2\n[18850 of 18890, 1996]\nline 1998\nline 1999\n',
      truncated: true,
      totalBytes: { stdout: 18_890, stderr: 0 },
    },
  },
  {
    command: node('for (let i = 0; i < 2000; i++) console.log(`line ${i}`)'),
    options: { output: { maxBytes: 10, keep: 'tail', marker: '' } },
    result: { stdout: 'line 1999\n', truncated: true, totalBytes: { stdout: 18_890, stderr: 0 } },
  },
  {
    command: node("process.stdout.write('x'.repeat(100_000))"),
    options: { output: { spill: true, maxBytes: 0, marker: '' } },
    result: {
      truncated: true,
      totalBytes: { stdout: 100_000, stderr: 0 },
      spill: { bytes: 100_000, complete: true, error: null },
    },
  },
  {
    command: node("console.log('a'); console.log('error: broken'); process.exitCode = 1"),
    options: { output: { view: true } },
    result: {
      stdout: 'a\nerror: broken\n',
      output: 'a\nerror: broken\n',
      view: 'a\nerror: broken\n',
      exitCode: 1,
    },
  },
  {
    command: node(FOREVER),
    options: { timeout: 1000 },
    result: { status: 'timeout', signal: 'SIGTERM' },
  },
  {
    command: node(FOREVER),
    options: { idleTimeout: 1000 },
    result: { status: 'idleTimeout', signal: 'SIGTERM' },
  },
  {
    command: node(FOREVER),
    options: () => ({ signal: AbortSignal.timeout(1000) }),
    result: { status: 'aborted', signal: 'SIGTERM' },
  },
  {
    command: node(FOREVER),
    options: { timeout: 1000, killSignal: 'SIGKILL' },
    result: { status: 'timeout', signal: 'SIGKILL' },
  },
  {
    command: node('0'),
    options: () => ({ signal: AbortSignal.abort() }),
    result: { status: 'aborted', error: 'ABORT_ERR', hasProcess: false, hasUsage: false },
  },
  {
    command: node(FOREVER),
    options: { timeout: 0, onTimeout: 'background', backgroundTimeout: 1000 },
    result: { status: 'background', isJob: true, hasCursor: true, hasUsage: false },
  },
  {
    command: node(LEAVES_ONE),
    options: { background: 'adopt' },
    result: { background: 1, isJob: true, hasCursor: true },
  },
  { command: node(LEAVES_ONE), options: { background: 'kill' }, result: {} },
];

/** Commands that don't start. */
export const FAILURES: Comparison[] = [
  { command: ['no-such-program'], result: { status: 'failed', error: 'ENOENT' } },
  { command: ['./no/such/program', 'x'], result: { status: 'failed', error: 'ENOENT' } },
  {
    command: 'true',
    options: { cwd: 'no such directory' },
    result: { status: 'failed', error: 'CWD_MISSING' },
  },
  {
    command: 'true',
    options: { cwd: 'package.json' },
    result: { status: 'failed', error: 'CWD_NOT_DIRECTORY' },
  },
  { command: 'true', options: { root: 'no such root' }, result: { status: 'failed', error: 'ROOT_MISSING' } },
  {
    command: 'true',
    options: { root: 'lib', cwd: '..' },
    result: { status: 'failed', error: 'CWD_OUTSIDE' },
  },
  {
    command: 'true',
    options: { shell: './no/such/shell' },
    result: { status: 'failed', error: 'ENOENT' },
  },
  {
    command: 'rm -rf /',
    options: { policy: {} },
    result: { status: 'denied', error: 'DANGEROUS', decision: { verdict: 'deny', code: 'DANGEROUS' } },
  },
  {
    command: 'echo x',
    options: { policy: { allow: ['Bash(ls)'] } },
    result: { status: 'denied', error: 'NOT_APPROVED', decision: { verdict: 'ask', code: 'NOT_APPROVED' } },
  },
  {
    command: 'echo allowed',
    options: { policy: { allow: ['Bash(echo *)'] } },
    result: { stdout: 'allowed\n', decision: { verdict: 'allow', code: 'ALLOWED' } },
  },
];
