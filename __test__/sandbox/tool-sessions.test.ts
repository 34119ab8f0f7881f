import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { workspace } from './support.js';

/** The main tool of a dialect whose session is in a sandbox. */
function toolOf(
  dialect: 'bash' | 'anthropic-bash' | 'claude-code',
  session: 'cwd' | 'carry' | 'live' | undefined,
) {
  const { root, sandbox } = workspace();
  const toolset = createTools(dialect, { root, cwd: root, sandbox, session });
  const [tool] = toolset.tools;
  const call = async (command: string) => (await tool?.execute({ command }))?.text ?? '';
  return { root, call, [Symbol.asyncDispose]: () => toolset.dispose() };
}

describe('tools in a sandbox', { tags: ['sandbox'] }, () => {
  it.each(['cwd', 'carry', 'live'] as const)('stay in their directory with the session %s', async (kind) => {
    await using session = toolOf('bash', kind);
    await session.call('mkdir -p sub; cd sub');
    const text = await session.call('pwd -P; echo x > /etc/agent-bash-test');
    expect(text).toContain(`${join(realpathSync(session.root), 'sub')}\n`);
    expect(text).toContain('Read-only file system');
  });

  it.each(['carry', 'live'] as const)('keep variables with the session %s', async (kind) => {
    await using session = toolOf('bash', kind);
    await session.call('x=1');
    expect(await session.call('echo "<$x>"')).toContain('<1>');
  });

  it('do not follow a command out of its root (session cwd)', async () => {
    await using session = toolOf('claude-code', 'cwd');
    mkdirSync(join(session.root, 'sub'));
    await session.call('cd sub');
    await session.call('mkdir /tmp/own; cd /tmp/own');
    expect(await session.call('pwd')).toContain(session.root);
    expect(existsSync('/tmp/own')).toBe(false);
  });

  it('have the session of their dialect: the state survives the shell', async () => {
    await using session = toolOf('anthropic-bash', undefined);
    await session.call('x=1; mkdir sub; cd sub');
    await session.call('exit 3');
    const text = await session.call('echo "<$x>"; pwd; echo $AGENT_BASH_SANDBOX');
    expect(text).toContain('<1>');
    expect(text).toContain('/sub\n');
    expect(text).toContain('workspace-write');
  });

  it('note a removed directory, and none that is inside alone', async () => {
    await using session = toolOf('bash', 'carry');
    await session.call('mkdir /tmp/own; cd /tmp/own');
    const text = await session.call('pwd');
    expect(text).toContain('/tmp/own');
    expect(text).not.toMatch(/removed|no longer/i);
  });
});
