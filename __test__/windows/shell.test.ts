import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bash, run } from '../../index.js';
import { temporaryDirectory } from './support.ts';

describe('a command line on Windows', () => {
  it('is run by a bash', async () => {
    const { stdout, exitCode } = await run('[[ a == a ]] && echo yes; exit 3');
    expect([stdout, exitCode]).toEqual(['yes\n', 3]);
  });

  it('has variables of the shell and of the call', async () => {
    const { stdout } = await run('x=grüße; echo "$x" "$A"', { env: { A: 'ä b' } });
    expect(stdout).toBe('grüße ä b\n');
  });

  it('may be longer than a command line of Windows', async () => {
    const { stdout } = await run(`x=${'a'.repeat(100_000)}; echo \${#x}`);
    expect(stdout).toBe('100000\n');
  });

  it('has quotes and backslashes as they are', async () => {
    const { stdout } = await run(String.raw`printf '%s\n' "a\"b" 'c\d\' "e f"`);
    expect(stdout).toBe('a"b\nc\\d\\\ne f\n');
  });

  it('is run by cmd.exe where that is the shell', async () => {
    const { stdout } = await run('echo %OS%& exit 4', { shell: ['cmd.exe', '/d', '/s', '/c'] });
    expect(stdout).toBe('Windows_NT\r\n');
  });

  it('is run by cmd.exe with its own flags, if there are none', async () => {
    const { stdout, exitCode } = await run('echo %OS%&& exit 4', { shell: 'cmd.exe' });
    expect([stdout, exitCode]).toEqual(['Windows_NT\r\n', 4]);
  });

  it('is never run by the bash of WSL', async () => {
    const shell = [String.raw`C:\windows\system32\bash.exe`, '-c'];
    const { status, error } = await run('echo', { shell });
    expect(status).toBe('failed');
    expect(error).not.toBeNull();
  });

  it('is refused where cmd.exe is the shell, and could not read all of it', async () => {
    const { error } = await run(`echo ${'a'.repeat(8192)}`, { shell: ['cmd.exe', '/d', '/s', '/c'] });
    expect(error?.code).toBe('E2BIG');
  });

  it('is refused where cmd.exe is the shell, and would run its first line alone', async () => {
    const { status, error } = await run('echo a\necho b', { shell: 'cmd.exe' });
    expect([status, error?.code]).toEqual(['failed', 'ERR_INVALID_ARG_VALUE']);
  });

  it('gives bash() its answer', async () => {
    const answer = await bash({ command: 'echo out; echo err >&2; exit 3' }, process.cwd());
    expect(answer).toBe('out\n\nerr\n\n[Exit code: 3]');
  });
});

describe('arguments that are too long for Windows', () => {
  it.each([1, 100])('are an error before anything runs: %d of them', async (count) => {
    const words = Array.from({ length: count }, () => 'a'.repeat(40_000 / count));
    const { status, error } = await run([process.execPath, '-e', '0', ...words]);
    expect([status, error?.code]).toEqual(['failed', 'E2BIG']);
  });
});

describe('a batch file', () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'pass on.cmd');
  const print = join(directory, 'print.cjs');
  writeFileSync(print, 'process.stdout.write(JSON.stringify(process.argv.slice(2)))');
  writeFileSync(file, `@"${process.execPath}" "${print}" %*\r\n`);

  it('is no shell that a command could leave', async () => {
    const shell = [file, '-c'];
    expect(JSON.parse((await run('a & b', { shell })).stdout)).toEqual(['-c', 'a & b']);
    for (const command of ['"&whoami', 'echo %PATH%']) {
      expect((await run(command, { shell })).error?.code).toBe('ERR_INVALID_ARG_VALUE');
    }
  });

  it('needs no path to the system', async () => {
    const { stdout } = await run([file, 'x'], { env: { PATH: String.raw`C:\nothing` } });
    expect(JSON.parse(stdout)).toEqual(['x']);
  });

  it('runs with plain arguments', async () => {
    const { stdout } = await run([file, 'a b']);
    expect(JSON.parse(stdout)).toEqual(['a b']);
  });

  it.each(['"&calc.exe', '%PATH%', 'a"b', 'a\nb', '^&whoami', '&whoami', '!PATH!', 'a|b', '>x'])(
    'gets an argument as it is, or refuses it: %j',
    async (argument) => {
      const { status, stdout, error } = await run([file, argument]);
      const got = status === 'exited' ? JSON.parse(stdout) : error?.code;
      expect([[argument], 'ERR_INVALID_ARG_VALUE']).toContainEqual(got);
    },
  );
});
