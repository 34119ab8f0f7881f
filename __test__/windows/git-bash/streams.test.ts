import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../../../index.js';
import { temporaryDirectory } from '../support.ts';

const stdoutOf = async (command: string, options?: RunOptions) => (await run(command, options)).stdout;

describe('a command of Git Bash', () => {
  it('is run by the bash of Git for Windows', async () => {
    expect(await stdoutOf('uname; echo $MSYSTEM')).toMatch(/^(MINGW64|CLANGARM64|MSYS)_NT-\S+\n\w+64\n$/);
  });

  it('joins programs by pipes', async () => {
    expect(await stdoutOf("printf 'b\\na\\n' | sort | tr a-z A-Z")).toBe('A\nB\n');
  });

  it('has subshells and substitutions', async () => {
    expect(await stdoutOf('x=1; (x=2; exit 7); echo $? $x "$(echo in | sed s/in/out/)"')).toBe('7 1 out\n');
  });

  it('substitutes processes', async () => {
    expect(await stdoutOf('cat <(echo one) <(echo two)')).toBe('one\ntwo\n');
  });

  it('runs git', async () => {
    expect(await stdoutOf('git --version')).toMatch(/^git version /);
  });

  it('writes to two streams', async () => {
    const { stdout, stderr } = await run('cat <<<out; cat <<<err >&2');
    expect([stdout, stderr]).toEqual(['out\n', 'err\n']);
  });

  it('reads 10 MB of input', async () => {
    expect(await stdoutOf('cat | wc -c', { input: 'x'.repeat(10_000_000) })).toBe('10000000\n');
  });

  it('writes 20 MB of output', async () => {
    const { totalBytes, exitCode } = await run('head -c 20000000 /dev/zero');
    expect([totalBytes.stdout, exitCode]).toEqual([20_000_000, 0]);
  });

  it.each([
    ['bytes', undefined, 7],
    ['letters', 'C.UTF-8', 5],
  ])('passes UTF-8 on, and counts it in %s where LANG is %s', async (_, LANG, length) => {
    const env = { LANG, LC_ALL: undefined, LC_CTYPE: undefined };
    const command = 'x=grüße; echo $x ${#x}; locale charmap';
    expect(await stdoutOf(command, { env })).toBe(`grüße ${length}\nUTF-8\n`);
  });

  it('reads and writes names of files in UTF-8', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'von außen 日本'), '');
    expect(await stdoutOf("touch 'grüße 😀'; ls", { cwd })).toBe('grüße 😀\nvon außen 日本\n');
    expect(readdirSync(cwd).sort()).toEqual(['grüße 😀', 'von außen 日本']);
  });

  it('may have the ends of lines of Windows', async () => {
    expect(await stdoutOf('if true; then\r\n  echo a\r\nfi\r\necho b\r\n')).toBe('a\nb\n');
  });

  it('has its directory, with blanks and letters of any language', async () => {
    const cwd = temporaryDirectory('mit Leerstelle ü 日 ');
    const stdout = await stdoutOf('pwd -W', { cwd });
    expect(stdout.trim().toLowerCase()).toBe(cwd.replaceAll('\\', '/').toLowerCase());
  });

  it('has its programs also where it is longer than a command line', async () => {
    expect(await stdoutOf(`x=${'a'.repeat(40_000)}; sed s/a/b/ <<<"\${#x} a"; exit 3`)).toBe('40000 b\n');
  });

  it('runs 50 times at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) => run(`(echo ${index}); exit ${index}`)),
    );
    expect(results.map(({ exitCode, stdout, stderr }) => `${exitCode} ${stdout}${stderr}`)).toEqual(
      results.map((_, index) => `${index} ${index}\n`),
    );
  }, 300_000);
});

describe('the end of a command of Git Bash', () => {
  it('has an exit code of 8 bits', async () => {
    expect((await run('exit 300')).exitCode).toBe(44);
  });

  it.each([9, 15, 2])('by a signal that it sends itself is named: %d', async (number) => {
    const { status, exitCode, signal } = await run(`kill -${number} $$`);
    const name = { 9: 'SIGKILL', 15: 'SIGTERM', 2: 'SIGINT' }[number];
    expect({ status, exitCode, signal }).toEqual({ status: 'signaled', exitCode: null, signal: name });
  });

  it('by a signal with another number on Linux has its name', async () => {
    expect(await run('kill -USR1 $$')).toMatchObject({ status: 'signaled', signal: 'SIGUSR1' });
  });

  it('of a child is what bash makes of it', async () => {
    expect((await run("bash -c 'kill -9 $$'; exit $?")).exitCode).toBe(137);
  });
});
