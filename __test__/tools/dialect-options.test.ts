import { createTool } from 'agent-bash/tools';
import { afterEach, describe, expect, it, vi } from 'vitest';

/** Returns the words of a tool: its description and the schema of its arguments. */
function wordsOf({ description, inputSchema }: { description: string; inputSchema: object }): string {
  return description + JSON.stringify(inputSchema);
}

describe('the words of a tool', () => {
  it('have the timeout of the host', () => {
    expect(wordsOf(createTool('voice', { timeout: 5_000 }))).toContain('ended after 5 seconds');
    expect(wordsOf(createTool('voice', { timeout: 0 }))).not.toContain('ended after');
    expect(wordsOf(createTool('rye', { timeout: 5_000 }))).toContain('(default: 5)","default":5');
    expect(wordsOf(createTool('agentrail', { timeout: 5_000 }))).toContain('Defaults to 5000.');
    expect(wordsOf(createTool('oh-my-pi', { timeout: { default: 5_000, max: 10_000 } }))).toContain(
      'Default 5, from 1 to 10.',
    );
  });

  it('have the defaults of the originals where the host has none', () => {
    expect(wordsOf(createTool('voice'))).toContain('ended after 30 seconds');
    expect(wordsOf(createTool('rye'))).toContain(
      '"integer","description":"Timeout in seconds (default: 120)"',
    );
    expect(wordsOf(createTool('agentrail'))).toContain('Defaults to 30000.');
    expect(wordsOf(createTool('oh-my-pi'))).toContain('Default 300, from 1 to 3600.');
  });

  it('have the longest timeout of the host where one was clamped', async () => {
    const tool = createTool('oh-my-pi', { timeout: { max: 10_000 } });
    const { text } = await tool.execute({ command: 'true', timeout: 99 });
    expect(text).toContain('Timeout clamped to 10s (requested 99s; allowed range 1-10s).');
  });
});

describe('the arguments of voice', () => {
  it('may be the command alone', async () => {
    const { text } = await createTool('voice').execute('echo "{a}"');
    expect(text).toBe('{a}\n\n[Exit code: 0]');
  });

  it('are wrong if they begin as JSON and are none', async () => {
    const { text, isError } = await createTool('voice').execute('{"command":');
    expect([text, isError]).toEqual(['Error: Invalid JSON arguments', true]);
  });
});

describe('the option permissions', () => {
  it('names the modes that it takes', () => {
    const permissions = { mode: 'plan' } as unknown as { mode: 'default' };
    expect(() => createTool('agentrail', { permissions })).toThrow(
      /^Invalid option 'options\.permissions\.mode': expected (?!.*readOnly).*, got 'plan'$/,
    );
  });
});

describe('PI_NO_PTY', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('is read at each call', async () => {
    const tool = createTool('oh-my-pi', { hasUI: true });
    const call = () => tool.execute({ command: '[ -t 1 ] && echo terminal || echo pipe', pty: true });
    expect((await call()).text).toMatch(/^terminal/);
    vi.stubEnv('PI_NO_PTY', '1');
    expect((await call()).text).toMatch(/^pipe/);
    vi.stubEnv('PI_NO_PTY', '0');
    expect((await call()).text).toMatch(/^terminal/);
  });
});
