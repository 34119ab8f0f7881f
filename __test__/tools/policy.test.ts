import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Policy } from 'agent-bash';
import { createTool, createTools, dialects, type ToolEvent } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { argumentsOf } from './arguments.js';
import { faults } from './valid.js';

const POLICY: Policy = {
  allow: ['Bash(echo:*)', 'Bash(cat:*)', 'Bash(cd:*)'],
  deny: ['Bash(touch:*)'],
  queries: 'ask',
};

describe.each([...dialects])('the policy of %s', (dialect) => {
  it('refuses what is denied or would be asked, with the reason, and runs what is allowed', async () => {
    const directory = temporaryDirectory();
    const decisions: ToolEvent[] = [];
    await using toolset = createTools(dialect, { cwd: directory, policy: POLICY });
    toolset.on('decision', (event) => decisions.push(event));
    const [tool] = toolset.tools;
    if (tool === undefined) throw new Error('no tool');
    const denied = await tool.execute(argumentsOf(dialect, 'echo hi && touch made'));
    expect(denied).toMatchObject({ isError: true, text: expect.stringContaining('Bash(touch:*)') });
    const asked = await tool.execute(argumentsOf(dialect, 'mkdir made'));
    expect(asked).toMatchObject({ isError: true, text: expect.stringContaining('needs an approval') });
    expect(existsSync(join(directory, 'made'))).toBe(false);
    const allowed = await tool.execute(argumentsOf(dialect, 'echo hi'));
    expect(allowed).toMatchObject({ isError: false, text: expect.stringContaining('hi') });
    for (const { data } of [denied, asked, allowed]) expect(faults(data, tool.outputSchema)).toEqual([]);
    expect(decisions).toMatchObject([
      { verdict: 'deny', decision: { code: 'DENIED' } },
      { verdict: 'ask', decision: { code: 'NOT_APPROVED' } },
      { verdict: 'allow', reason: null },
    ]);
  });
});

describe('the policy of a toolset', () => {
  it('asks the host only for what its rules ask, and shows the decision', async () => {
    const asked: unknown[] = [];
    const approve = ({ command, decision }: { command: string; decision: unknown }) => {
      asked.push([command, decision]);
      return 'allow' as const;
    };
    await using tool = createTool('bash', { policy: POLICY, approve });
    expect((await tool.execute({ command: 'echo one' })).text).toBe('one\n[exit code: 0]');
    expect((await tool.execute({ command: 'printf two' })).text).toBe('two\n[exit code: 0]');
    expect((await tool.execute({ command: 'touch x' })).isError).toBe(true);
    expect(asked).toEqual([['printf two', expect.objectContaining({ verdict: 'ask' })]]);
  });

  it('takes the rule that an approval brings along', async () => {
    const policy: Policy = { allow: [], queries: 'ask' };
    let count = 0;
    const approve = () => {
      count++;
      return { verdict: 'allow' as const, addRule: 'Bash(printf:*)' };
    };
    await using tool = createTool('bash', { policy, approve });
    await tool.execute({ command: 'printf one' });
    expect((await tool.execute({ command: 'printf two' })).text).toBe('two\n[exit code: 0]');
    expect([count, policy.allow]).toEqual([1, ['Bash(printf:*)']]);
  });

  it('needs no rule for a query in the root, unless it says so', async () => {
    const directory = temporaryDirectory();
    for (const [queries, isError] of [
      [undefined, false],
      ['allow', false],
      ['ask', true],
    ] as const) {
      await using tool = createTool('bash', { cwd: directory, policy: { allow: [], queries } });
      expect((await tool.execute({ command: 'ls | wc -l' })).isError).toBe(isError);
    }
    await using tool = createTool('bash', { cwd: directory, policy: { allow: [] } });
    expect((await tool.execute({ command: 'cat /etc/hosts' })).isError).toBe(true);
    expect((await tool.execute({ command: 'mkdir made' })).isError).toBe(true);
  });

  it('settles at once when the call is aborted while approve is pending', async () => {
    const controller = new AbortController();
    const approve = () => {
      controller.abort();
      return new Promise<'allow'>(() => {});
    };
    await using tool = createTool('bash', { policy: { queries: 'ask' }, approve });
    const { text, isError } = await tool.execute({ command: 'pwd' }, { signal: controller.signal });
    expect([text, isError]).toEqual(['Error: aborted before it started', true]);
  });

  it('is not overruled by an approval that was given elsewhere', async () => {
    await using tool = createTool('bash', { policy: POLICY });
    const denied = await tool.execute({ command: 'touch x' }, { approval: 'granted' });
    expect(denied).toMatchObject({ isError: true, text: expect.stringContaining('Bash(touch:*)') });
    const asked = await tool.execute({ command: 'printf x' }, { approval: 'granted' });
    expect(asked.text).toBe('x\n[exit code: 0]');
  });

  it('says "ask" to an SDK that can ask, without a host that can', async () => {
    await using tool = createTool('bash', { policy: POLICY });
    const verdictOf = async (command: string) => (await tool.decide({ command })).verdict;
    expect(await Promise.all(['echo x', 'printf x', 'touch x'].map(verdictOf))).toEqual([
      'allow',
      'ask',
      'deny',
    ]);
  });

  it.each(['live', 'carry', 'cwd'] as const)(
    'judges before a %s session gets the command',
    async (session) => {
      const directory = temporaryDirectory();
      await using toolset = createTools('bash', { cwd: directory, session, policy: POLICY });
      expect((await toolset.call('bash', { command: 'echo one' })).text).toContain('one');
      expect((await toolset.call('bash', { command: 'touch made' })).text).toContain('Bash(touch:*)');
      // The value of a shell variable is not known, so no rule can allow it.
      expect((await toolset.call('bash', { command: '$COMMAND_OF_THE_SESSION made' })).isError).toBe(true);
      expect(existsSync(join(directory, 'made'))).toBe(false);
    },
  );

  it('judges what is written to a job as commands', async () => {
    await using toolset = createTools('bash', {
      policy: { ...POLICY, allow: ['Bash(cat)', 'Bash(echo:*)'] },
    });
    const { jobId } = await toolset.call('bash', { command: 'cat', background: true });
    const denied = await toolset.call('bash_write', { job: jobId, text: 'touch x\n' });
    expect(denied.isError).toBe(true);
    const allowed = await toolset.call('bash_write', { job: jobId, text: 'echo x\n', wait_ms: 10_000 });
    expect(allowed.text).toContain('echo x');
  });

  it('runs no command of a call of which one is denied', async () => {
    const directory = temporaryDirectory();
    await using tool = createTool('openai-shell', {
      cwd: directory,
      policy: { mode: 'bypassPermissions', deny: ['Bash(rm:*)'] },
    });
    const { data, isError } = await tool.execute({ commands: ['mkdir made', 'rm x'] });
    expect([isError, existsSync(join(directory, 'made'))]).toEqual([true, false]);
    expect(data.output).toHaveLength(2);
  });

  it('runs only what reads, with a shell of its own', async () => {
    const policy: Policy = { mode: 'readOnly' };
    await using tool = createTool('bash', { cwd: temporaryDirectory(), policy });
    expect((await tool.execute({ command: 'ls && git status' })).text).not.toContain('not allowed');
    expect((await tool.execute({ command: 'touch x' })).text).toContain('not allowed');
    await using live = createTool('bash', { session: 'live', policy });
    expect((await live.execute({ command: 'ls' })).text).toContain('shell of its own');
  });

  it('names the rule that is wrong', () => {
    expect(() => createTools('bash', { policy: { deny: ['Bash(rm'] } })).toThrow("'options.policy.deny[0]'");
    expect(() => createTools('bash', { policy: 5 as unknown as Policy })).toThrow("'options.policy'");
  });
});

describe('the permissions of agentrail', () => {
  it('refuse dangerous commands by default, and nothing else', async () => {
    await using tool = createTool('agentrail');
    const { text, isError } = await tool.execute({ command: 'true; rm -rf /' });
    expect([text, isError]).toEqual(['Command matches a known-dangerous pattern', true]);
    expect((await tool.execute({ command: 'echo "$(echo hi)"' })).isError).toBe(false);
  });

  it.each([
    ['dontAsk', 'printf x', 'Permission denied for tool "Bash"'],
    ['strict', 'printf x', 'Permission denied for tool "Bash"'],
    ['default', 'printf x', 'Permission denied for tool "Bash"'],
    ['bypassPermissions', 'printf x', 'x'],
    ['strict', 'echo x', 'x'],
    ['bypassPermissions', 'git status; rm -rf /', 'Command matches a known-dangerous pattern'],
  ] as const)('have the mode %s: %s', async (mode, command, text) => {
    await using tool = createTool('agentrail', { permissions: { mode, allow: ['Bash(echo:*)'] } });
    expect((await tool.execute({ command })).text.slice(0, text.length)).toBe(text);
  });

  it('deny before they ask, and ask before they allow', async () => {
    const permissions = { allow: ['Bash'], ask: ['Bash(git:*)'], deny: ['Bash(git push:*)'] };
    await using tool = createTool('agentrail', { permissions });
    const verdictOf = async (command: string) => (await tool.decide({ command })).verdict;
    expect(await Promise.all(['ls', 'git log', 'git push'].map(verdictOf))).toEqual(['allow', 'ask', 'deny']);
  });

  it.each([
    ['Bash(rm', 'missing closing'],
    ['(rm)', 'tool name is empty'],
    ['Bash()', 'pattern inside parentheses is empty'],
  ])('name the fault of a rule: %s', (rule, fault) => {
    const make = () => createTools('agentrail', { permissions: { deny: ['Bash(ls)', rule] } });
    expect(make).toThrow("'options.permissions.deny[1]'");
    expect(make).toThrow(fault);
  });

  it('are given as permissions or as a policy', () => {
    const make = () => createTools('agentrail', { policy: {}, permissions: {} });
    expect(make).toThrow("'options.permissions': expected none next to a policy");
  });
});
