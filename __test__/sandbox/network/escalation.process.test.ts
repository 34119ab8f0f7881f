import { describe, expect, it } from 'vitest';
import { inWorld } from './world.js';

describe('a command that asks for hosts', { tags: ['root', 'sandbox', 'curl'] }, () => {
  it.each([false, true])('reaches those that are granted, and no other (as a user: %s)', async (asUser) => {
    const result = await inWorld<{ texts: string[]; asked: unknown[]; requests: string[] }>(
      `
      const { createTools } = await import('agent-bash/tools');
      const asked = [];
      const approve = ({ escalation }) => {
        asked.push(escalation?.sandbox ?? null);
        return { verdict: 'allow', sandbox: { network: { allow: ['registry.test:80'] } } };
      };
      const sandbox = { level: 'workspace-write', escalate: 'ask' };
      const toolset = createTools('bash', { root: ROOT, sandbox, policy: { allow: ['Bash'] }, approve });
      const command = 'curl -sS http://registry.test/a; curl -s http://evil.test/b; ' + WITHOUT_PROXY +
        'curl -sS http://registry.test/c; curl -s http://evil.test/d; echo "in: $AGENT_BASH_SANDBOX"';
      const texts = [(await toolset.call('bash', { command })).text];
      const ask = { allow_hosts: ['registry.test:80', 'evil.test:80'], reason: 'to install' };
      texts.push((await toolset.call('bash', { command, ...ask })).text);
      await toolset.dispose();
      report({ texts, asked, requests });
      `,
      { asUser },
    );
    const [inside, granted] = result.texts;
    expect(inside).toContain('in: workspace-write');
    expect(granted).toContain('in: workspace-write');
    expect(granted).toContain('of what it asked for, the command was granted to reach registry.test:80');
    expect(result.asked).toEqual([{ network: { allow: ['registry.test:80', 'evil.test:80'] } }]);
    expect(result.requests).toEqual([
      '93.184.216.34 registry.test GET /a',
      '93.184.216.34 registry.test GET /c',
    ]);
  });
});
