import type { Policy } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { lineOfText } from '../../lib/options/command/command-line.ts';
import { decide } from '../../lib/policy/check.ts';
import { compile } from '../../lib/policy/policy.ts';

// A directory with a drive makes a request one of Windows, also here, where `check()` has no such directory.
const cwd = String.raw`C:\work\project`;
const environment = 'USERPROFILE=C:\\Users\\ann\0';

function verdictOf(command: string, policy: Policy): string {
  const surroundings = { cwd, root: cwd, environment, shell: ['/bin/bash', '-c'] };
  const { verdict, dangerous } = decide(compile(policy), { line: lineOfText(command), surroundings });
  return dangerous === null ? verdict : `${verdict} (${dangerous})`;
}

describe('a policy for a directory of Windows', () => {
  it.each([
    String.raw`C:\Users\ann\.ssh\id_rsa`,
    'C:/Users/ann/.ssh/id_rsa',
    '/c/Users/ann/.ssh/id_rsa',
    String.raw`\\?\C:\Users\ann\.ssh\id_rsa`,
    String.raw`\\localhost\c$\Users\ann\.ssh\id_rsa`,
    String.raw`..\..\Users\ann\.ssh\id_rsa`,
    String.raw`%USERPROFILE%\.ssh\id_rsa`,
  ])('refuses to read a file outside of the root: %s', (path) => {
    expect(verdictOf(`cat '${path}'`, { mode: 'readOnly' })).toBe('deny');
    expect(verdictOf(`cat '${path}'`, { queries: 'allow' })).toBe('ask');
  });

  it.each([String.raw`src\a`, String.raw`C:\WORK\project\a`, '/c/work/project/a'])(
    'lets a query read a file in the root: %s',
    (path) => {
      expect(verdictOf(`cat '${path}'`, { mode: 'readOnly' })).toBe('allow');
    },
  );

  it.each([
    ['rm -rf "$USERPROFILE"', 'removal'],
    ["cmd /c 'rd /s /q C:\\'", 'removal'],
    [String.raw`rm -rf C:\Windows`, 'removal'],
    ["powershell -c 'Remove-Item -Recurse C:\\Users'", 'removal'],
    ['format c:', 'overwrite'],
    ['powershell -EncodedCommand AAAA', 'download'],
    ["icacls 'C:\\Windows' /grant Everyone:F", 'permissions'],
    ['shutdown /s /t 0', 'shutdown'],
    ['bcdedit /set x y', 'kernel'],
  ])('denies great harm: %s', (command, effect) => {
    expect(verdictOf(command, { mode: 'bypassPermissions' })).toBe(`deny (${effect})`);
  });

  it('matches a rule about a program with any ending and case', () => {
    const policy: Policy = { mode: 'bypassPermissions', deny: ['Bash(curl:*)'] };
    expect(verdictOf('CURL.EXE x', policy)).toBe('deny');
    expect(verdictOf("cmd /c 'C:\\tools\\curl.exe x'", policy)).toBe('deny');
  });

  it('has a rule of no path that `..` and backslashes leave', () => {
    const policy: Policy = { mode: 'strict', allow: ['Bash(cat src/*)'] };
    expect(verdictOf('cat src/a', policy)).toBe('allow');
    expect(verdictOf(String.raw`cat 'src/..\..\x'`, policy)).toBe('deny');
  });
});
