import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { ShellSession } from '../../index.js';
import { temporaryDirectory } from './support.ts';

const { ProgramFiles = '', AGENT_BASH_TEST_BUSYBOX: busybox } = process.env;

/** The shells in which a command's directory is kept, by what they are. */
const KEEPING: [string, string][] = [
  ['sh', join(ProgramFiles, String.raw`Git\bin\sh.exe`)],
  ['bash', join(ProgramFiles, String.raw`Git\bin\bash.exe`)],
];
if (busybox !== undefined) KEEPING.push(['busybox', busybox]);

const withSlashes = (path: string) => path.replaceAll('\\', '/');

/** A toolset that keeps the directory, and the directory in which its next command starts. */
function keeping(shell: string, options: object = {}) {
  const toolset = createTools('bash', { session: 'cwd', shell, ...options });
  const call = async (command: string) => (await toolset.call('bash', { command })).text;
  // Git Bash has names of its own for directories. With wine, it can't always start Node.js, which would
  // print those of Windows.
  const directory = async () => resolve((await call('pwd -W 2>/dev/null || pwd')).split('\n', 1)[0] ?? '');
  return { call, directory, [Symbol.asyncDispose]: () => toolset.dispose() };
}

describe.each(KEEPING)("session: 'cwd' with %s", (_, shell) => {
  const root = temporaryDirectory();
  const sub = join(root, 'a ü (b)');
  mkdirSync(sub);

  it('keeps a directory with blanks and other characters', async () => {
    await using session = keeping(shell, { cwd: root });
    await session.call("cd 'a ü (b)'");
    expect(await session.directory()).toBe(sub);
  });

  it('keeps the directory of a command that exits', async () => {
    await using session = keeping(shell, { cwd: root });
    expect(await session.call("cd 'a ü (b)'; exit 3; cd /")).toContain('3');
    expect(await session.directory()).toBe(sub);
  });

  it('leaves the directory as it was where a program replaces the shell', async () => {
    await using session = keeping(shell, { cwd: root });
    await session.call("cd 'a ü (b)'; exec cmd.exe /d /c exit");
    expect([root, sub]).toContain(await session.directory());
  });

  it('follows a command to another drive', async () => {
    const system = process.env.SystemRoot ?? '';
    await using session = keeping(shell, { cwd: process.cwd() });
    await session.call(`cd '${withSlashes(system)}'`);
    expect((await session.directory()).toLowerCase()).toBe(system.toLowerCase());
  });

  it('runs a command where the directory was removed', async () => {
    const gone = join(root, 'gone');
    mkdirSync(gone);
    await using session = keeping(shell, { cwd: root });
    await session.call('cd gone');
    rmdirSync(gone);
    expect(await session.call('echo next')).toContain('next');
  });

  it('stays within the root', async () => {
    await using session = keeping(shell, { root });
    expect(await session.call('cd ..')).toContain(`was reset to ${root}`);
    await session.call("cd 'a ü (b)'");
    expect(await session.directory()).toBe(sub);
  });

  it('runs a command that begins with a comment, and one of several lines', async () => {
    await using session = keeping(shell, { cwd: root });
    expect(await session.call('# nothing\necho one\ncat <<E\ntwo\nE')).toContain('one\ntwo\n');
  });
});

describe.each(KEEPING)("keep: 'state' with %s", (name, shell) => {
  const cwd = temporaryDirectory();

  it('keeps the directory and variables of a command that ended cleanly', async () => {
    const session = new ShellSession({ keep: 'state', shell, cwd });
    mkdirSync(join(cwd, 'a (b)'));
    const first = await session.run("A='1 ü'; export B=2; cd 'a (b)'");
    expect([first.stderr, first.cwd]).toEqual(['', join(cwd, 'a (b)')]);
    expect((await session.run('A=3; exit 3')).shellEnded).toBe(true);
    expect((await session.run('echo "$A" $B')).stdout).toBe('1 ü 2\n');
    await session.close();
  });

  it('starts in the first directory where that of the state was removed', async () => {
    const session = new ShellSession({ keep: 'state', shell, cwd });
    const gone = join(cwd, `gone-${name}`);
    mkdirSync(gone);
    await session.run(`cd gone-${name}`);
    rmSync(gone, { recursive: true });
    expect((await session.run('echo next')).stdout).toBe('next\n');
    await session.close();
  });
});

describe("keep: 'state' with the usual shell", () => {
  it('has variables', async () => {
    const session = new ShellSession({ keep: 'state' });
    await session.run('A=1');
    expect((await session.run('echo $A')).stdout).toBe('1\n');
    await session.close();
  });
});
