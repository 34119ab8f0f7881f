import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';
import { SETUP } from './program.js';

/** A Node whose own directory has been removed. */
function inRemovedDirectory<T>(program: string): Promise<T> {
  return askNode<T>(`
    ${SETUP}
    import { mkdtempSync, rmdirSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { join } from 'node:path';
    const own = mkdtempSync(join(tmpdir(), 'agent-bash-'));
    process.chdir(own);
    rmdirSync(own);
    ${program}
  `);
}

describe('a Node whose own directory has been removed', () => {
  it('runs commands in other directories', async () => {
    const report = await inRemovedDirectory(`
      const { stdout, cwd } = await run('pwd', { cwd: '/' });
      print({ stdout, cwd, answer: await bash({ command: 'pwd' }, '/') });
    `);
    expect(report).toEqual({ stdout: '/\n', cwd: '/', answer: '/\n\n[Exit code: 0]' });
  });

  it('has a result and no throw for a command without a directory', async () => {
    const report = await inRemovedDirectory<{ status: string; code: string }>(`
      const { status, error } = await run('echo hi');
      print({ status, code: error?.code });
    `);
    expect(report).toEqual({ status: 'failed', code: 'CWD_MISSING' });
  });

  it('stays in it with bash(), as with Node', async () => {
    const answer = await inRemovedDirectory<string>(`print(await bash({ command: 'echo hi' }, ''));`);
    // zsh says nothing about it, which bash() prefers where it is there.
    expect(answer).toMatch(/^hi\n\n(shell-init: error retrieving [^\n]*\n\n)?\[Exit code: 0]$/);
  });
});
