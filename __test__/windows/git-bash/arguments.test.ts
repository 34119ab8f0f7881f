import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../../index.js';
import { ARGUMENTS } from '../../platforms/arguments.ts';
import { NODE, PROGRAMS } from './support.ts';

const WORDS = [...ARGUMENTS, 'two\nlines', '\\\\server\\share\\x'];
const PATHS = ['/c/dir', '--x=/c/dir', 'C:/x;D:/y'];

/** Returns a word for bash. */
const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/** Prints the arguments that a program of Windows gets from bash. */
const printed = async (words: string[], env = {}) => {
  const print = `${NODE} -e 'process.stdout.write(JSON.stringify(process.argv.slice(1)))' --`;
  return JSON.parse((await run(`${print} ${words.map(quoted).join(' ')}`, { env })).stdout);
};

describe('an argument', () => {
  it('reaches a program of MSYS2 as it is', async () => {
    const { stdout } = await run([join(PROGRAMS, 'printf.exe'), String.raw`%s\0`, ...WORDS, ...PATHS]);
    expect(stdout.split('\0').slice(0, -1)).toEqual([...WORDS, ...PATHS]);
  });

  it('reaches a program of Windows from bash as it is, unless it is a path', async () => {
    expect(await printed(WORDS)).toEqual(WORDS);
  });

  it('that is a path of bash reaches a program of Windows as one of Windows', async () => {
    expect(await printed(PATHS)).toEqual(['C:/dir', '--x=C:/dir', 'C:/x;D:/y']);
  });

  it('that is a path is not changed with MSYS_NO_PATHCONV', async () => {
    expect(await printed(PATHS, { MSYS_NO_PATHCONV: '1' })).toEqual(PATHS);
  });
});

describe('a variable', () => {
  it('reaches bash as it is', async () => {
    const { stdout } = await run('echo "$A"', { env: { A: 'ä /c/x C:\\y' } });
    expect(stdout).toBe('ä /c/x C:\\y\n');
  });

  it('of bash reaches a program of Windows, a path as one of Windows', async () => {
    const { stdout } = await run(`A=/c/x B=ü ${NODE} -p 'process.env.A + process.env.B'`);
    expect(stdout).toBe('C:/xü\n');
  });

  it('is PATH in any case, and has the form of the shell there', async () => {
    const { stdout } = await run('echo "$PATH"', { env: { Path: String.raw`C:\own dir;D:\other` } });
    expect(stdout).toMatch(/:\/c\/own dir:\/d\/other$/m);
  });

  it('has the form of Windows for a program of Windows below the shell', async () => {
    const names = 'Object.keys(process.env).filter((name) => /^path$/i.test(name)).length';
    const { stdout } = await run(`${NODE} -p '${names} + process.env.PATH'`, {
      env: { Path: String.raw`C:\own dir` },
    });
    expect(stdout).toMatch(/^1C:\\.*;C:\\own dir$/m);
  });
});
