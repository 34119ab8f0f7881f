import { createTool, createTools, type Dialect, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { argumentsOf } from './arguments.js';
import { faults } from './valid.js';

const RULE = { pattern: '^make ', tool: 'build', message: 'Use the build tool.' };

/** Returns the arguments for a command, behind another one where a call may have several. */
function argumentsFor(dialect: Dialect, command: string): object {
  const args = argumentsOf(dialect, command);
  return 'commands' in args ? { commands: ['true', command] } : args;
}

describe('interceptors', () => {
  it('answer as oh-my-pi does', async () => {
    await using tool = createTool('oh-my-pi', { interceptors: [RULE], tools: ['build'] });
    const { text, isError } = await tool.execute({ command: 'cd /tmp && make all' });
    expect(text).toBe('Blocked: Use the build tool.\n\nOriginal command: cd /tmp && make all');
    expect(isError).toBe(true);
  });

  it.each([...dialects])('block a command of %s, and leave others alone', async (dialect) => {
    await using tool = createTool(dialect, { interceptors: [RULE], tools: ['build'] });
    const blocked = await tool.execute(argumentsFor(dialect, 'make all'));
    expect(blocked).toMatchObject({
      isError: true,
      text: expect.stringContaining('Blocked: Use the build tool.'),
    });
    expect(blocked.run).toBeUndefined();
    expect(faults(blocked.data, tool.outputSchema)).toEqual([]);
    expect((await tool.execute(argumentsFor(dialect, 'echo make all'))).text).toContain('make all');
  });

  it('have default rules for the tools that the agent has', async () => {
    await using tool = createTool('bash', { interceptors: true, tools: ['read', 'write'] });
    const texts = await Promise.all(
      ['cat /etc/hostname', 'echo x > file', 'echo x | grep x'].map(
        async (command) => (await tool.execute({ command })).text,
      ),
    );
    expect(texts[0]).toContain('Blocked: Use the `read` tool');
    expect(texts[1]).toContain('Blocked: Use the `write` tool');
    expect(texts[2]).toBe('x\n[exit code: 0]');
  });

  it('are off by default', async () => {
    await using tool = createTool('bash', { tools: ['read'] });
    expect((await tool.execute({ command: 'cat /dev/null' })).isError).toBe(false);
  });

  it.each([
    [{ interceptors: true }, "'options.tools'"],
    [{ interceptors: 'all', tools: [] }, "'options.interceptors'"],
    [{ interceptors: [RULE, { ...RULE, pattern: 5 }], tools: [] }, "'options.interceptors[1].pattern'"],
    [{ interceptors: [{ ...RULE, pattern: '(?=x)' }], tools: [] }, "'options.interceptors[0].pattern'"],
    [{ interceptors: [{ ...RULE, flags: 'g' }], tools: [] }, 'expected some of i, m, s and u'],
  ])('are refused when they are wrong: %o', (options, message) => {
    expect(() => createTools('bash', options as object)).toThrow(message);
    expect(() => createTools('bash', options as object)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE' }),
    );
  });
});
