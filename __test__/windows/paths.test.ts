import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { noVariables } from '../../lib/options/surroundings/environment/variables.ts';
import { absolutePath } from '../../lib/support/paths/absolute-path.ts';
import { programName } from '../../lib/support/paths/program-name.ts';
import { isBelow } from '../../lib/support/paths/within.ts';

describe('a path of Windows', () => {
  it.each([
    ['file', String.raw`C:\base\file`],
    ['', String.raw`C:\base`],
    [String.raw`D:\other\file`, String.raw`D:\other\file`],
    ['D:/other/file', String.raw`D:\other\file`],
    [String.raw`..\file`, String.raw`C:\file`],
    [String.raw`\file`, String.raw`C:\file`],
    ['/file', String.raw`C:\file`],
    [String.raw`\\server\share\file`, String.raw`\\server\share\file`],
  ])('belongs to its directory: %j', (path, absolute) => {
    expect(absolutePath(path, String.raw`C:\base`)).toBe(absolute);
  });

  it.each([
    ['/c/work/file', String.raw`c:\work\file`],
    ['/D', 'D:\\'],
    ['/dev/null', String.raw`C:\dev\null`],
  ])('may have the form of Git Bash: %s', (path, absolute) => {
    expect(absolutePath(path, String.raw`C:\base`)).toBe(absolute);
  });

  it('lies below a directory by any spelling', () => {
    expect(isBelow(String.raw`C:\Work`, String.raw`c:\work\a`)).toBe(true);
    expect(isBelow(String.raw`C:\Work`, String.raw`C:\Work`)).toBe(true);
    expect(isBelow(String.raw`C:\Work`, String.raw`C:\Workshop`)).toBe(false);
    expect(isBelow(String.raw`C:\Work`, String.raw`D:\Work\a`)).toBe(false);
    expect(isBelow(String.raw`C:\Work`, String.raw`C:\other`)).toBe(false);
  });

  it('may be a home as the root, though temporary files are below', async () => {
    const { spillPath } = await run(['cmd.exe', '/d', '/c', 'echo x'], {
      cwd: homedir(),
      root: homedir(),
      output: { maxBytes: 1, spill: true },
    });
    expect(spillPath).not.toBeNull();
  });

  it('names a program without its ending', () => {
    expect(programName(String.raw`C:\Program Files\Git\bin\bash.EXE`)).toBe('bash');
    expect(programName('C:/tools/busybox.exe')).toBe('busybox');
    expect(programName('bash')).toBe('bash');
  });
});

describe('the variables of Windows', () => {
  it('are one by any spelling, and keep the first', () => {
    const variables = noVariables();
    variables.set('Path', 'a');
    variables.set('PATH', 'b');
    expect([...variables]).toEqual([['Path', 'b']]);
  });

  it('can be removed by any spelling', () => {
    const variables = noVariables();
    variables.set('Path', 'a');
    variables.delete('PATH');
    variables.set('path', 'c');
    expect([...variables]).toEqual([['path', 'c']]);
  });
});
