import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { check, run } from '../../index.js';
import { temporaryDirectory } from './support.ts';

const SECRET = 'a key that nobody may read';

/** Returns a project, and beside it a file with the secret, by their real paths. */
function projectAndKey(): { project: string; key: string } {
  const parent = realpathSync.native(temporaryDirectory());
  const project = join(parent, 'project');
  mkdirSync(join(parent, 'home', '.ssh'), { recursive: true });
  mkdirSync(project);
  const key = join(parent, 'home', '.ssh', 'id_rsa');
  writeFileSync(key, SECRET);
  writeFileSync(join(project, 'a.txt'), 'a text\n');
  return { project, key };
}

/** Returns the spellings of an absolute path on a drive. */
function spellings(path: string): string[] {
  const [drive] = path;
  const behind = path.slice(2);
  return [
    path,
    path.replaceAll('\\', '/'),
    path.toUpperCase(),
    path.toLowerCase(),
    `/${drive.toLowerCase()}${behind.replaceAll('\\', '/')}`,
    `\\\\?\\${path}`,
    `\\\\.\\${path}`,
    `\\\\localhost\\${drive}$${behind}`,
    `${path}::$DATA`,
    `${path}.`,
    path.replace('.ssh', '.ssh.'),
    path.replace('home', String.raw`.\project\..\home`),
  ];
}

describe('a policy on Windows', () => {
  it('refuses to read a file outside of the root in each form', async () => {
    const { project, key } = projectAndKey();
    const paths = [...spellings(key), String.raw`..\home\.ssh\id_rsa`, '../HOME/.SSH/id_rsa'];
    for (const path of paths) {
      const { status, stdout } = await run(`cat '${path}'`, { cwd: project, policy: { mode: 'readOnly' } });
      expect([path, status, stdout]).toEqual([path, 'denied', '']);
      const typed = await run(`cmd /c "type ${path}"`, { cwd: project, policy: { queries: 'allow' } });
      expect([path, typed.status, typed.stdout]).toEqual([path, 'denied', '']);
    }
  });

  it('lets a query read a file in the root by other spellings of it', () => {
    const { project } = projectAndKey();
    const file = join(project, 'a.txt');
    for (const path of [...spellings(file), 'a.txt', String.raw`.\A.TXT`]) {
      const { verdict, reason } = check(`cat '${path}'`, { cwd: project, policy: { mode: 'readOnly' } });
      expect([path, verdict, reason]).toEqual([path, 'allow', 'Every command only reads']);
    }
  });

  it('protects the home, the system and the project from a removal', () => {
    const { project } = projectAndKey();
    const policy = { mode: 'bypassPermissions' as const };
    const commands = [
      'rm -rf ~',
      'rm -rf "$USERPROFILE"',
      'cmd /c "rd /s /q %SystemRoot%"',
      "powershell -Command 'Remove-Item -Recurse $env:USERPROFILE'",
      ...spellings(project).map((path) => `rm -rf '${path}'`),
    ];
    for (const command of commands) {
      const { verdict, dangerous } = check(command, { cwd: project, policy });
      expect([command, verdict, dangerous]).toEqual([command, 'deny', 'removal']);
    }
  });

  it('reads the language of a bash by its path', () => {
    const shell = [String.raw`C:\Program Files\Git\bin\bash.exe`, '-c'];
    expect(check('true', { policy: {}, shell }).verdict).toBe('allow');
  });
});
