import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxGrant } from 'agent-bash';
import {
  createTools,
  type Dialect,
  type PendingCall,
  type ToolEvent,
  type Toolset,
  type ToolsOptions,
} from 'agent-bash/tools';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { argumentsOf } from '../tools/arguments.js';

const SANDBOX = { level: 'workspace-write', escalate: 'ask' } as const;

const outside = () => temporaryDirectory('/var/tmp');

function asking(dialect: Dialect = 'bash', more: ToolsOptions = {}): Toolset {
  const toolset = createTools(dialect, { root: temporaryDirectory(), sandbox: SANDBOX, ...more });
  onTestFinished(() => toolset.dispose());
  return toolset;
}

/** An `approve` that allows everything, and adds what it is asked to a list. */
function into(asked: PendingCall[]) {
  return (pending: PendingCall): 'allow' => {
    asked.push(pending);
    return 'allow';
  };
}

function call(toolset: Toolset, args: object) {
  const [main] = toolset.tools;
  if (main === undefined) throw new Error('a toolset has a tool');
  return main.execute(args);
}

/** The arguments by which each dialect asks to run without the sandbox. */
const LEAVING: [Dialect, object][] = [
  ['bash', { unsandboxed: true, reason: 'It needs the host.' }],
  ['claude-code', { dangerouslyDisableSandbox: true, description: 'It needs the host.' }],
  ['codex-shell', { sandbox_permissions: 'require_escalated', justification: 'It needs the host.' }],
  ['codex-shell', { with_escalated_permissions: true, justification: 'It needs the host.' }],
  ['codex-exec', { sandbox_permissions: 'require_escalated', justification: 'It needs the host.' }],
];

describe('a command that asks for more than its sandbox gives', { tags: ['sandbox'] }, () => {
  it.each(LEAVING)('runs without it where the host grants that: %s %j', async (dialect, ask) => {
    const place = outside();
    const asked: PendingCall[] = [];
    const toolset = asking(dialect, { approve: into(asked) });
    const command = `echo x > ${place}/made; echo "level:$AGENT_BASH_SANDBOX:"`;
    const { text } = await call(toolset, { ...argumentsOf(dialect, command), ...ask });
    expect(text).toContain('level::');
    expect(readdirSync(place)).toEqual(['made']);
    expect(asked).toMatchObject([
      {
        escalation: {
          sandbox: { unsandboxed: true },
          reason: 'It needs the host.',
          text: expect.stringMatching(
            /to run without the sandbox.*The model's reason, in its own words: "It needs the host\."$/,
          ),
        },
      },
    ]);
  });

  it.each([
    ['gemini', { additional_permissions: { fileSystem: { write: ['PLACE'] } } }],
    [
      'codex-shell',
      {
        sandbox_permissions: 'with_additional_permissions',
        additional_permissions: { file_system: { write: ['PLACE'] } },
      },
    ],
    ['bash', { allow_writes: ['PLACE'], reason: 'It writes there.' }],
  ] as [Dialect, object][])('gets the path that it asks for, and no other: %s', async (dialect, ask) => {
    const [place, other] = [outside(), outside()];
    const asked: PendingCall[] = [];
    const toolset = asking(dialect, { approve: into(asked) });
    const args = JSON.parse(JSON.stringify(ask).replace('PLACE', place));
    const command = `echo x > ${place}/made; echo x > ${other}/made; echo "level:$AGENT_BASH_SANDBOX:"`;
    const { text } = await call(toolset, { ...argumentsOf(dialect, command), ...args });
    expect(text).toContain('level:workspace-write:');
    expect([readdirSync(place), readdirSync(other)]).toEqual([['made'], []]);
    expect(asked.map(({ escalation }) => escalation?.sandbox)).toEqual([{ writable: [place] }]);
  });

  it('gets the hosts that it asks for', async () => {
    const approve = vi.fn(() => 'allow' as const);
    const toolset = asking('bash', { approve });
    const ask = { allow_hosts: ['Registry.Test:443'], reason: 'to install' };
    const { text } = await call(toolset, { command: 'echo $AGENT_BASH_SANDBOX_NETWORK', ...ask });
    expect(text).toContain('allow\n');
    expect(approve).toHaveBeenCalledWith(
      expect.objectContaining({
        escalation: expect.objectContaining({ sandbox: { network: { allow: ['registry.test:443'] } } }),
      }),
    );
  });

  it.each(LEAVING)('does not run where the host denies it: %s %j', async (dialect, ask) => {
    const root = temporaryDirectory();
    const toolset = asking(dialect, { root, approve: () => ({ verdict: 'deny', reason: 'not today' }) });
    const denied = await call(toolset, { ...argumentsOf(dialect, 'touch ran'), ...ask });
    expect(denied).toMatchObject({ isError: true, text: expect.stringContaining('not today') });
    expect(readdirSync(root)).toEqual([]);
  });

  it.each(LEAVING)('has the answer of `never` where nobody can be asked: %s %j', async (dialect, ask) => {
    const root = temporaryDirectory();
    const never = asking(dialect, { root, sandbox: 'workspace-write' });
    const nobody = asking(dialect, { root });
    const silent = asking(dialect, {
      root,
      policy: { mode: 'dontAsk', allow: ['Bash'] },
      approve: () => 'allow',
    });
    const args = { ...argumentsOf(dialect, 'echo "level:$AGENT_BASH_SANDBOX:"'), ...ask };
    const { text } = await call(never, args);
    expect((await call(nobody, args)).text).toBe(text);
    expect((await call(silent, args)).text).toBe(text);
    expect(text).not.toContain('level::');
  });

  it('shows its arguments to the model only where it may ask', () => {
    const names = (dialect: Dialect, more: ToolsOptions = {}) =>
      JSON.stringify(asking(dialect, more).tools[0]?.inputSchema);
    for (const [dialect, argument] of [
      ['bash', 'unsandboxed'],
      ['codex-shell', 'additional_permissions'],
      ['codex-exec', '"additional_permissions"'],
      ['gemini', 'additional_permissions'],
      ['claude-code', 'The user is asked'],
    ] as const) {
      expect(names(dialect)).toContain(argument);
      expect(
        names(dialect, { sandbox: 'workspace-write' }).replaceAll('with_additional_permissions', ''),
      ).not.toContain(argument);
    }
  });

  it('can be granted less, which the answer says', async () => {
    const [place, other] = [outside(), outside()];
    const toolset = asking('bash', {
      approve: () => ({ verdict: 'allow', sandbox: { writable: [place] } }),
    });
    const command = `echo x > ${place}/made; echo x > ${other}/made; echo "level:$AGENT_BASH_SANDBOX:"`;
    const { text } = await call(toolset, { command, unsandboxed: true, reason: 'why not' });
    expect(text).toContain('level:workspace-write:');
    expect(text).toContain(`of what it asked for, the command was granted to write below "${place}"`);
    expect([readdirSync(place), readdirSync(other)]).toEqual([['made'], []]);
  });

  it('is never granted more than it asks for', async () => {
    const root = temporaryDirectory();
    const [place, other] = [outside(), outside()];
    for (const sandbox of [
      { unsandboxed: true },
      { writable: [other] },
      { writable: [join(place, '..')] },
      { network: 'on' },
      { protected: ['!.git'] },
    ] as SandboxGrant[]) {
      const toolset = asking('bash', { root, approve: () => ({ verdict: 'allow', sandbox }) });
      const ask = { allow_writes: [place], reason: 'x' };
      const { isError, text } = await call(toolset, { command: 'touch ran', ...ask });
      expect([isError, text]).toEqual([true, expect.stringContaining("'sandbox' can't be granted")]);
    }
    const plain = asking('bash', { root, approve: () => ({ verdict: 'allow', sandbox: {} }) });
    expect((await call(plain, { command: 'touch ran' })).isError).toBe(true);
    expect(readdirSync(root)).toEqual([]);
  });

  it('is asked about although a rule allows it, and not where the policy denies it', async () => {
    const asked: PendingCall[] = [];
    const policy = { allow: ['Bash(echo:*)'], deny: ['Bash(touch:*)'] };
    const toolset = asking('bash', { policy, approve: into(asked) });
    const ask = { unsandboxed: true, reason: 'x' };
    expect((await call(toolset, { command: 'echo hi' })).text).toContain('hi');
    expect(asked).toEqual([]);
    expect((await call(toolset, { command: 'echo hi', ...ask })).text).toContain('hi');
    expect(asked).toMatchObject([{ decision: { verdict: 'allow' }, escalation: { isGranted: false } }]);
    const denied = await call(toolset, { command: 'touch ran', ...ask });
    expect(denied).toMatchObject({ isError: true, text: expect.stringContaining('Bash(touch:*)') });
    expect(asked.length).toBe(1);
  });

  it('keeps protected paths as they are, whatever else it may write', async () => {
    const parent = outside();
    const root = join(parent, 'project');
    mkdirSync(join(root, 'memo'), { recursive: true });
    mkdirSync(join(root, '.git', 'hooks'), { recursive: true });
    const sandbox = { ...SANDBOX, protected: ['memo'] };
    const toolset = asking('bash', { root, sandbox, approve: () => 'allow' });
    const command = `touch memo/a .git/hooks/a ${parent}/made; true`;
    for (const allow_writes of [[parent], ['memo'], ['.git/hooks']]) {
      await call(toolset, { command, allow_writes, reason: 'x' });
      expect([readdirSync(join(root, 'memo')), readdirSync(join(root, '.git', 'hooks'))]).toEqual([[], []]);
    }
    expect(existsSync(join(parent, 'made'))).toBe(true);
    await call(toolset, { command, unsandboxed: true, reason: 'x' });
    expect(readdirSync(join(root, 'memo'))).toEqual(['a']);
  });

  it('is shown with the target of a link, and refused where there is none', async () => {
    const [root, place] = [temporaryDirectory(), outside()];
    symlinkSync(place, join(root, 'harmless'));
    const approve = vi.fn((_: PendingCall) => 'allow' as const);
    const toolset = asking('bash', { root, approve });
    await call(toolset, { command: 'touch harmless/made', allow_writes: ['harmless'], reason: 'x' });
    expect(approve.mock.calls[0]?.[0].escalation?.text).toContain(`to write below "${place}"`);
    expect(readdirSync(place)).toEqual(['made']);
    const missing = await call(toolset, { command: 'true', allow_writes: ['/nothing/there'], reason: 'x' });
    expect(missing.text).toContain("can't give what the command asks for: '/nothing/there' does not exist");
    expect(approve).toHaveBeenCalledTimes(1);
  });

  describe('for a path that a link replaces while the host decides', () => {
    /** A directory to ask for, what is below it, and a function that replaces it or its parent by a link. */
    function swapped(replaced: 'itself' | 'its parent') {
      const [site, victim] = [outside(), outside()];
      const asked = join(site, 'assets', 'made');
      mkdirSync(asked, { recursive: true });
      mkdirSync(join(victim, 'made'));
      const [place, target] =
        replaced === 'itself' ? [asked, join(victim, 'made')] : [join(site, 'assets'), victim];
      const swap = () => {
        renameSync(place, `${place}.old`);
        symlinkSync(target, place);
      };
      return { asked, swap, written: () => readdirSync(join(victim, 'made')) };
    }

    it.each(['itself', 'its parent'] as const)('fails, and writes nowhere else: %s', async (replaced) => {
      const { asked, swap, written } = swapped(replaced);
      const approve = () => {
        swap();
        return { verdict: 'allow', scope: 'toolset' } as const;
      };
      const toolset = asking('bash', { approve });
      const { text } = await call(toolset, {
        command: `touch ${asked}/x`,
        allow_writes: [asked],
        reason: 'x',
      });
      expect(text).toContain(`'${asked}' was granted, and a symbolic link leads elsewhere since then`);
      expect(written()).toEqual([]);
    });

    it.each([{ allow_writes: true }, { unsandboxed: true }])(
      'is not granted by its path: %j',
      async ({ unsandboxed }) => {
        const { asked, swap, written } = swapped('itself');
        const approve = () => {
          swap();
          return { verdict: 'allow', sandbox: { writable: [asked] } } as const;
        };
        const more = unsandboxed ? { unsandboxed } : { allow_writes: [asked] };
        const command = `touch ${asked}/x`;
        const { text } = await call(asking('bash', { approve }), { command, ...more, reason: 'x' });
        expect(text).toContain("'sandbox' can't be granted");
        expect(text).toContain('leads elsewhere by a symbolic link');
        expect(written()).toEqual([]);
      },
    );

    it('is not covered by the token of decide()', async () => {
      const { asked, swap, written } = swapped('itself');
      const [tool] = asking('bash').tools;
      const args = { command: `touch ${asked}/x`, allow_writes: [asked], reason: 'x' };
      const { token } = (await tool?.decide(args)) ?? {};
      swap();
      const { isError } = (await tool?.execute(args, { approval: 'granted', approvalToken: token })) ?? {};
      expect([isError, written()]).toEqual([true, []]);
    });

    it('can be a path to read, at the level isolated', async () => {
      const { asked, swap } = swapped('itself');
      const approve = () => {
        swap();
        return 'allow' as const;
      };
      const sandbox = { level: 'isolated', escalate: 'ask' } as const;
      const toolset = asking('gemini', { sandbox, approve });
      const { text } = await call(toolset, {
        ...argumentsOf('gemini', `ls ${asked}`),
        additional_permissions: { fileSystem: { read: [asked] } },
      });
      expect(text).toContain(`'${asked}' was granted, and a symbolic link leads elsewhere since then`);
    });
  });

  it('quotes the reason of the model, so that no line of it looks like one of ours', async () => {
    const approve = vi.fn((_: PendingCall) => 'deny' as const);
    const reason = 'x"\nIt asks for nothing.\u001b[2J';
    await call(asking('bash', { approve }), { command: 'true', unsandboxed: true, reason });
    const { escalation } = approve.mock.calls[0]?.[0] ?? {};
    expect(escalation?.reason).toBe(reason);
    expect(escalation?.text).toContain('"x\\"\\nIt asks for nothing.\\u{1b}[2J"');
    const missing = await call(asking('bash', { approve }), { command: 'true', unsandboxed: true });
    expect(missing.text).toBe("Error: 'reason' is missing: expected why the command needs more");
  });

  it('is not asked about for what the sandbox gives already', async () => {
    const approve = vi.fn(() => 'allow' as const);
    const toolset = asking('bash', { policy: { allow: ['Bash'] }, approve });
    const { text } = await call(toolset, {
      command: 'echo "level:$AGENT_BASH_SANDBOX:"',
      allow_writes: ['.'],
      reason: 'x',
    });
    expect(text).toContain('level:workspace-write:');
    expect(approve).not.toHaveBeenCalled();
  });

  it('inherits outside what it inherits inside', async () => {
    vi.stubEnv('AGENT_BASH_TEST_TOKEN', 'secret');
    onTestFinished(() => void vi.unstubAllEnvs());
    const toolset = asking('bash', { approve: () => 'allow' });
    const command = 'echo "token:$AGENT_BASH_TEST_TOKEN:"';
    expect((await call(toolset, { command, unsandboxed: true, reason: 'x' })).text).toContain('token::');
  });

  it('ends like a refusal when the call is aborted while the host decides', async () => {
    const controller = new AbortController();
    const root = temporaryDirectory();
    const approve = () => {
      controller.abort();
      return new Promise<'allow'>(() => {});
    };
    const [tool] = asking('bash', { root, approve }).tools;
    const args = { command: 'touch ran', unsandboxed: true, reason: 'x' };
    const result = await tool?.execute(args, { signal: controller.signal });
    expect(result).toMatchObject({ isError: true, text: 'Error: aborted before it started' });
    expect(readdirSync(root)).toEqual([]);
  });

  it('is granted to the toolset until the host revokes that', async () => {
    const place = outside();
    const approve = vi.fn(() => ({ verdict: 'allow', scope: 'toolset' }) as const);
    const toolset = asking('bash', { policy: { allow: ['Bash'] }, approve });
    const ask = { allow_writes: [place], reason: 'to publish' };
    await call(toolset, { command: `touch ${place}/a`, ...ask });
    await call(toolset, { command: `touch ${place}/b`, ...ask });
    expect(approve).toHaveBeenCalledTimes(1);
    // The grant widens no sandbox by itself.
    await call(toolset, { command: `touch ${place}/c` });
    expect(readdirSync(place).sort()).toEqual(['a', 'b']);
    const [grant] = toolset.grants;
    expect(grant).toMatchObject({
      sandbox: { writable: [place] },
      command: `touch ${place}/a`,
      reason: 'to publish',
    });
    if (grant === undefined) throw new Error('a grant');
    expect([toolset.revoke(grant), toolset.revoke(grant), toolset.grants]).toEqual([true, false, []]);
    await call(toolset, { command: `touch ${place}/d`, ...ask });
    expect(approve).toHaveBeenCalledTimes(2);
  });

  it('is granted to the toolset without the sandbox for the same command alone', async () => {
    const approve = vi.fn(() => ({ verdict: 'allow', scope: 'toolset' }) as const);
    const toolset = asking('bash', { policy: { allow: ['Bash'] }, approve });
    const ask = { unsandboxed: true, reason: 'x' };
    await call(toolset, { command: 'echo one', ...ask });
    await call(toolset, { command: 'echo one', ...ask });
    expect(approve).toHaveBeenCalledTimes(1);
    await call(toolset, { command: 'echo two', ...ask });
    await call(toolset, { command: 'echo one', cwd: '/', ...ask });
    expect(approve).toHaveBeenCalledTimes(3);
  });

  it('is bound to its call and its grant by the token of decide()', async () => {
    const place = outside();
    const root = temporaryDirectory();
    const [tool] = asking('bash', { root }).tools;
    if (tool === undefined) throw new Error('no tool');
    const args = { command: `touch ran ${place}/ran`, allow_writes: [place], reason: 'x' };
    const { verdict, reason, token, escalation } = await tool.decide(args);
    expect([verdict, escalation?.sandbox]).toEqual(['ask', { writable: [place] }]);
    expect(reason).toBe(escalation?.text);
    const other = await tool.decide({ command: args.command, unsandboxed: true, reason: 'x' });
    for (const approvalToken of [undefined, other.token, token.split('.')[0], `${token.split('.')[0]}.e30`]) {
      const { isError } = await tool.execute(args, { approval: 'granted', approvalToken });
      expect(isError).toBe(true);
    }
    expect(readdirSync(root)).toEqual([]);
    await tool.execute(args, { approval: 'granted', approvalToken: token });
    expect(readdirSync(place)).toEqual(['ran']);
  });

  it('keeps what the host has granted of it until the call is executed', async () => {
    const place = outside();
    for (const [sandbox, made] of [
      [{}, []],
      [{ writable: [place] }, ['made']],
    ] as const) {
      const [tool] = asking('bash', { approve: () => ({ verdict: 'allow', sandbox }) }).tools;
      if (tool === undefined) throw new Error('no tool');
      const args = { command: `touch ${place}/made`, unsandboxed: true, reason: 'x' };
      const { verdict, token } = await tool.decide(args);
      expect(verdict).toBe('allow');
      await tool.execute(args, { approval: 'granted', approvalToken: token });
      expect(readdirSync(place)).toEqual(made);
    }
  });

  it('is asked about again when text for its job would run with what it was granted', async () => {
    const asked: PendingCall[] = [];
    const toolset = asking('bash', {
      policy: { allow: ['Bash'] },
      approve: (pending) => (into(asked)(pending) && asked.length === 1 ? 'allow' : 'deny'),
    });
    const plain = await toolset.call('bash', { command: 'cat', background: true });
    const more = { unsandboxed: true, reason: 'x' };
    const { jobId } = await toolset.call('bash', { command: 'cat', background: true, ...more });
    expect(asked.length).toBe(1);
    const fine = await toolset.call('bash_write', { job: plain.jobId, text: 'echo\n' });
    expect([fine.isError, asked.length]).toEqual([false, 1]);
    const denied = await toolset.call('bash_write', { job: jobId, text: 'echo\n' });
    expect([denied.isError, asked.length]).toEqual([true, 2]);
    expect(asked[1]?.escalation?.text).toContain('The job that reads this was granted more');
  });

  it.each(['live', 'carry'] as const)('leaves the shell of a %s session as it is', async (session) => {
    const toolset = asking('bash', { session, approve: () => 'allow' });
    await call(toolset, { command: 'mkdir sub; cd sub; x=1' });
    const ask = { unsandboxed: true, reason: 'x' };
    const { text } = await call(toolset, { command: 'pwd; echo "$x:$AGENT_BASH_SANDBOX:"', ...ask });
    expect(text).toMatch(/\/sub\n::/);
    const { text: after } = await call(toolset, { command: 'echo "$x:$AGENT_BASH_SANDBOX:"' });
    expect(after).toContain('1:workspace-write:');
  });

  it('is in the events of the toolset, with what was granted', async () => {
    const place = outside();
    const decisions: ToolEvent[] = [];
    const approve = () => ({ verdict: 'allow', sandbox: { writable: [place] } }) as const;
    const toolset = asking('bash', { policy: { allow: ['Bash'] }, approve });
    toolset.on('decision', (event) => decisions.push(event));
    await call(toolset, { command: 'true', unsandboxed: true, reason: 'x' });
    await call(toolset, { command: 'true' });
    expect(decisions).toMatchObject([
      { escalation: { sandbox: { unsandboxed: true } }, grant: { writable: [place] } },
      { verdict: 'allow', escalation: null, grant: null },
    ]);
  });

  it('needs a dialect by whose arguments a model can ask', () => {
    const root = temporaryDirectory();
    expect(() => createTools('rye', { root, sandbox: SANDBOX })).toThrow(
      "Invalid option 'options.sandbox.escalate': expected 'never', as the dialect 'rye' has no argument to ask by",
    );
    const { description } = asking('codex-exec').tools[0] ?? {};
    expect(description).toContain('A command that needs more can ask for it');
    expect(asking('codex-exec', { sandbox: 'workspace-write' }).tools[0]?.description).not.toContain(
      'can ask for it',
    );
  });

  it('needs a value of `escalate` that is known', () => {
    const sandbox = { level: 'workspace-write', escalate: 'always' } as object;
    expect(() => createTools('bash', { root: temporaryDirectory(), sandbox } as object)).toThrow(
      /'options.sandbox'.*ask/,
    );
  });
});
