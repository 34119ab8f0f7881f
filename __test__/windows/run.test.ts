import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { node, temporaryDirectory } from './support.ts';

describe('a program on Windows', () => {
  it.each([0, 1, 7, 255, 256, 0xc0000005])(
    'exits with any code of 32 bits, without a sign: %d',
    async (code) => {
      const { status, exitCode } = await run(node(`process.reallyExit(${code} | 0)`));
      expect({ status, exitCode }).toEqual({ status: 'exited', exitCode: code });
    },
  );

  it('that Windows ended is named in the error of its result', async () => {
    const crash = run(node('process.reallyExit(0xc0000005 | 0)'), { reject: true });
    await expect(crash).rejects.toThrow(
      'exit code 3221225477 (STATUS_ACCESS_VIOLATION: an invalid access to memory)',
    );
  });

  it('writes to two streams', async () => {
    const { stdout, stderr } = await run(node("process.stdout.write('out'); process.stderr.write('err')"));
    expect({ stdout, stderr }).toEqual({ stdout: 'out', stderr: 'err' });
  });

  it('writes UTF-8', async () => {
    const { stdout } = await run(node("process.stdout.write('grüße 日本 😀')"));
    expect(stdout).toBe('grüße 日本 😀');
  });

  it('writes the code page of the console, if its call says so', async () => {
    const write = 'process.stdout.write(Buffer.from([0x84, 0x94, 0x81]))';
    const { stdout } = await run(node(write), { encoding: 'cp850' });
    expect(stdout).toBe('äöü');
  });

  it.each([
    'plain',
    '',
    'with blank',
    'quote " in it',
    'ends with \\',
    'a\\"b',
    '%PATH% ^& | < >',
    'ä ö 日本',
    "it's",
    '\ttab',
  ])('gets an argument as it is: %j', async (argument) => {
    const { stdout } = await run(node('process.stdout.write(JSON.stringify(process.argv[1]))', argument));
    expect(JSON.parse(stdout)).toBe(argument);
  });

  it('reads its input to the end', async () => {
    const { stdout } = await run(node('process.stdin.pipe(process.stdout)'), { input: 'grüße\n' });
    expect(stdout).toBe('grüße\n');
  });

  it('reads 10 MB of input', async () => {
    const count =
      "let size = 0; process.stdin.on('data', (d) => { size += d.length; }).on('end', () => console.log(size))";
    const { stdout } = await run(node(count), { input: 'x'.repeat(10_000_000) });
    expect(stdout).toBe('10000000\n');
  });

  it('has no input by default', async () => {
    const { stdout } = await run(
      node("process.stdin.on('data', () => {}).on('end', () => console.log('end'))"),
    );
    expect(stdout).toBe('end\n');
  });

  it('keeps the beginning and the end of a long output', async () => {
    const write = "for (let i = 0; i < 20000; i++) console.log('line ' + i)";
    const { stdout, truncated, totalBytes } = await run(node(write), { output: { maxBytes: 1000 } });
    expect(truncated).toBe(true);
    expect(totalBytes.stdout).toBe(208_890);
    expect(stdout.startsWith('line 0\n')).toBe(true);
    expect(stdout.endsWith('line 19999\n')).toBe(true);
  });

  it('starts in its directory', async () => {
    const cwd = temporaryDirectory();
    const { stdout } = await run(node('console.log(process.cwd())'), { cwd });
    expect(stdout.trim().toLowerCase()).toBe(cwd.toLowerCase());
  });

  it.each([
    ['no-such-program', 'ENOENT'],
    [String.raw`C:\no\such.exe`, 'ENOENT'],
    ['NUL', 'ENOENT'],
    ['con.exe', 'ENOENT'],
    [String.raw`C:\windows\aux`, 'ENOENT'],
  ])('that is missing is an error: %s', async (program, code) => {
    const { status, error } = await run([program]);
    expect([status, error?.code]).toEqual(['failed', code]);
  });

  it('can not start in a missing directory', async () => {
    const { error } = await run(node('0'), { cwd: String.raw`C:\no\such\directory` });
    expect(error?.code).toBe('CWD_MISSING');
  });

  it('can start in a directory with the longest path that Windows takes, and in no longer one', async () => {
    const top = realpathSync.native(temporaryDirectory());
    const above = join(top, 'a'.repeat(100));
    const longest = join(above, 'b'.repeat(258 - above.length - 1));
    mkdirSync(`${longest}c`, { recursive: true });
    mkdirSync(longest);
    const { stdout } = await run(node('process.stdout.write(process.cwd())'), { cwd: longest });
    expect(stdout).toBe(longest);
    const { error } = await run(node('0'), { cwd: `${longest}c` });
    expect(error?.code).toBe('CWD_NOT_ACCESSIBLE');
    expect(error?.message).toContain('258');
  });

  it('is found by PATH and PATHEXT', async () => {
    const { stdout } = await run(['cmd', '/d', '/c', 'echo found']);
    expect(stdout).toBe('found\r\n');
  });
});
