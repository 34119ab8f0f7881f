import { createTools, dialects } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { check, run, Target } from '../../index.js';
import { living } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { shellTarget } from './shell-target.js';

describe.skipIf(process.platform !== 'linux')('tools on a target', () => {
  it('run their commands there, and end it with the toolset', async () => {
    const seconds = tag();
    const { home, options } = shellTarget();
    const tools = createTools('claude-code', { target: options });
    const { text } = await tools.call('Bash', { command: `echo "$HOME"; sleep ${seconds} & echo on` });
    expect(text).toContain(home);
    expect(tools.get('Bash')?.description).toContain('Commands run on another machine than this tool.');
    await tools.dispose();
    expect(living(seconds)).toEqual([]);
    expect(living(`${home}/.cache`)).toEqual([]);
  });

  it('share a target with their caller', async () => {
    const target = new Target(shellTarget().options);
    onTestFinished(() => target.dispose());
    await using tools = createTools('bash', { target });
    const { text } = await tools.call('bash', { command: 'exit 3' });
    expect(text).toContain('3');
    await tools.dispose();
    expect(target.state).toBe('open');
  });

  it('stay below a root there', async () => {
    await using tools = createTools('agentrail', { target: shellTarget().options, root: '/usr' });
    const inside = await tools.call('Bash', { command: 'pwd', working_directory: '/usr/bin' });
    expect(inside.text).toContain('/usr/bin\n');
    const outside = await tools.call('Bash', { command: 'pwd', working_directory: '/' });
    expect(outside.isError).toBe(true);
  });

  it('put commands into the background there', async () => {
    await using tools = createTools('agentrail', { target: shellTarget().options });
    const { data } = await tools.call('Bash', { command: 'echo up; sleep 100', timeout: 1_000 });
    expect(data).toMatchObject({ mode: 'background', stdout: 'up\n', pid: expect.any(Number) });
  });

  it.each(['bash', 'claude-code', 'oh-my-pi', 'gemini'] as const)(
    'say that a file with the output is not where commands run: %s',
    async (dialect) => {
      const view = dialect === 'claude-code' ? { output: { view: true } } : {};
      await using tools = createTools(dialect, { ...view, target: shellTarget().options } as never);
      const command = { command: 'seq 200000', description: 'counts' };
      const result = await tools.tools[0]?.execute(command);
      expect(result?.text).not.toContain('sed -n');
      const reader = dialect === 'bash' ? '; bash_output reads it' : '';
      expect(result?.text).toMatch(/\[\/\S+\.txt is on the machine of this tool, where no command runs.*\]$/);
      expect(result?.text.endsWith(`runs${reader}]`)).toBe(true);
    },
  );

  it.each(dialects)('can be of the dialect %s', async (dialect) => {
    const tools = createTools(dialect, { target: shellTarget().options });
    expect(tools.instructions).toContain('Commands run on another machine than this tool.');
    await tools.dispose();
  });

  it('carry no state and have no status of pipelines there', () => {
    const target = shellTarget().options;
    for (const options of [{ session: 'carry' }, { pipeStatus: true }, { sandbox: 'read-only', root: '/' }]) {
      expect(() => createTools('bash', { ...options, target } as never)).toThrow(
        'not available with a target',
      );
    }
  });
});

describe.skipIf(process.platform !== 'linux')('a policy for commands on a target', () => {
  const policy = { allow: ['Bash(echo:*)'], deny: ['Bash(rm:*)'] };

  it('decides before anything is connected, and compares paths as text', async () => {
    const target = new Target({ exec: ['/nowhere/transport'] });
    const denied = await run('rm x', { target, policy });
    expect(denied).toMatchObject({ status: 'denied', decision: { paths: 'unresolved' } });
    expect(target.state).toBe('new');
    const decision = check('echo x > /usr/../tmp/y', { target, policy, root: '/tmp' });
    expect(decision).toMatchObject({ verdict: 'allow', paths: 'unresolved' });
    expect(check('echo x > /etc/y', { target, policy, root: '/tmp' }).verdict).not.toBe('allow');
    expect(check('echo x', { policy })).not.toHaveProperty('paths');
  });

  it('allows what it has decided about for this target alone', async () => {
    const target = new Target(shellTarget().options);
    onTestFinished(() => target.dispose());
    const decision = check('echo x', { target, policy });
    expect((await run('echo x', { target, decision })).stdout).toBe('x\n');
    expect((await run('echo x', { decision })).status).toBe('denied');
  });

  it('lets no query run without a rule, and denies what only reads', async () => {
    const target = new Target(shellTarget().options);
    expect(check('ls', { target, policy: { queries: 'allow' } }).verdict).toBe('ask');
    expect(check('ls', { target, policy: { mode: 'readOnly' } }).verdict).toBe('deny');
    await using tools = createTools('bash', { target, policy: { allow: ['Bash(id:*)'] } });
    expect((await tools.call('bash', { command: 'id -u' })).isError).toBe(false);
    await target.dispose();
  });
});

describe.skipIf(process.platform !== 'linux')('a probe of a target', () => {
  it('tells what the target is and has', async () => {
    const target = new Target(shellTarget().options);
    const report = await target.probe();
    await target.dispose();
    expect(report).toMatchObject({
      ok: true,
      kind: 'exec',
      version: null,
      supervisor: 'copied',
      error: null,
    });
    expect(report.system).toBe('Linux');
    expect(report.shells).toContainEqual(expect.stringMatching(/\/sh$/));
    expect(report.connectMs).toBeGreaterThan(0);
    expect(report.nextMs).toBeGreaterThan(0);
  });

  it('says why nothing runs', async () => {
    const report = await new Target({ exec: ['/nowhere/transport'] }).probe();
    expect(report).toMatchObject({ ok: false, shells: [], error: { code: 'TARGET_START' } });
  });
});
