import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { type RunResult, run } from '../../index.js';

const NO_EDITOR = /there is no editor: pass the text by an option/;

/** The longest time of a command that waits for nobody (ms). */
const TIMEOUT = 20_000;

const GIT = 'git -c user.name=n -c user.email=n@example.org';

/** A repository with two commits, whose second one conflicts with the branch `other`. */
async function repository(): Promise<(command: string, env?: Record<string, string>) => Promise<RunResult>> {
  const cwd = mkdtempSync(join(tmpdir(), 'non-interactive-'));
  const env = { HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
  await run(
    `git init -q -b main; git config user.name n; git config user.email n@example.org; echo 1 >file; git add file
     ${GIT} commit -qm first; git branch other; echo 2 >file; ${GIT} commit -qam second
     git checkout -q other; echo 3 >file; ${GIT} commit -qam third`,
    { cwd, env },
  );
  return (command, more = {}) =>
    run(command, { cwd, env: { ...env, ...more }, nonInteractive: true, timeout: TIMEOUT });
}

describe('nonInteractive in git', () => {
  it.each([
    ['a commit without a message', 'echo 4 >file; git commit -a'],
    ['a tag without a message', 'git tag -a v1'],
  ])('fails at once for %s, and says why', async (_, command) => {
    const git = await repository();
    const before = (await git('git rev-parse HEAD')).stdout;
    const { status, exitCode, stderr } = await git(command);
    expect({ status, failed: exitCode !== 0 }).toEqual({ status: 'exited', failed: true });
    expect(stderr).toMatch(NO_EDITOR);
    expect((await git('git rev-parse HEAD')).stdout).toBe(before);
  });

  it.each([
    ['the commit of a rebase', 'git rebase main; echo 5 >file; git add file; git rebase --continue', 'third'],
    ['the list of a rebase', 'git rebase -i --autosquash HEAD~1', 'third'],
    ['an amended commit', 'echo 6 >file; git commit -a --amend', 'third'],
    ['a merge', "git merge -s ours main; git log -1 --format='%s'", "Merge branch 'main' into other"],
    ['a revert', 'git revert HEAD', 'Revert "third"'],
  ])('accepts the message that git has written for %s', async (_, command, subject) => {
    const git = await repository();
    expect(await git(command)).toMatchObject({ status: 'exited', exitCode: 0 });
    expect((await git('git log -1 --format=%s; git status --short')).stdout).toBe(`${subject}\n`);
  });

  it("leaves the caller's own editor", async () => {
    const git = await repository();
    const { exitCode } = await git('echo 7 >file; git commit -a', { GIT_EDITOR: 'echo mine >' });
    expect(exitCode).toBe(0);
    expect((await git('git log -1 --format=%s')).stdout).toBe('mine\n');
  });
});

describe('nonInteractive', () => {
  it('has an editor that fails for programs that take EDITOR or VISUAL', async () => {
    for (const name of ['EDITOR', 'VISUAL']) {
      const { exitCode, stderr } = await run(`sh -c "$${name} file"`, {
        nonInteractive: true,
        timeout: TIMEOUT,
      });
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(NO_EDITOR);
    }
  });

  it('keeps Node.js from colours that the host forces', async () => {
    process.env.FORCE_COLOR = '3';
    process.env.CLICOLOR_FORCE = '1';
    try {
      const script =
        'console.log(process.stdout.getColorDepth?.() ?? require("tty").WriteStream.prototype.getColorDepth())';
      const { stdout, stderr } = await run(['node', '-e', script], { nonInteractive: true });
      expect({ stdout, stderr }).toEqual({ stdout: '1\n', stderr: '' });
    } finally {
      delete process.env.FORCE_COLOR;
      delete process.env.CLICOLOR_FORCE;
    }
  });
});

describe.each([
  'bash',
  'rye',
  'agentrail',
  'execute_bash_command',
  'anthropic-bash',
  'claude-code',
  'openai-local-shell',
  'openai-shell',
  'codex-shell',
  'codex-exec',
  'gemini',
] as const)('the dialect %s', (dialect) => {
  const command = 'echo "[$GIT_TERMINAL_PROMPT]"; sh -c "$EDITOR file" 2>&1';
  const words = ['bash', '-c', command];

  /** The arguments of each dialect for a command. */
  function call(toolset: ReturnType<typeof createTools>) {
    const name = dialect === 'codex-shell' ? 'shell_command' : toolset.tools[0]?.name;
    const args: Record<string, unknown> =
      dialect === 'openai-shell' ? { commands: [command] } : { command, cmd: command, description: 'a test' };
    if (dialect === 'openai-local-shell') args.command = words;
    return toolset.call(name ?? '', args);
  }

  it('has no editor to wait for', async () => {
    await using toolset = createTools(dialect, { root: tmpdir(), session: 'none' });
    const { text } = await call(toolset);
    expect(text).toContain('[0]');
    expect(text).toMatch(NO_EDITOR);
  });
});
