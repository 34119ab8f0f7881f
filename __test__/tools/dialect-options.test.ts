import { createTool, createTools } from 'agent-bash/tools';
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

  it("have the limits of the host in the vendors' dialects too", () => {
    const words = wordsOf(createTool('claude-code', { timeout: { max: 900_000 } }));
    expect(words).toContain('(max 900000)');
    expect(wordsOf(createTool('claude-code'))).toContain('(max 600000)');
    expect(wordsOf(createTool('codex-shell', { timeout: 7_000 }))).toContain('milliseconds. Default 7000.');
    const exec = wordsOf(createTool('codex-exec', { output: { maxBytes: 4_000 } }));
    expect(exec).toContain('will be truncated. Default 1000.');
  });

  it('direct a model to the tools that the agent has, and to no others', () => {
    const tools = ['Read', 'Write', 'Edit', 'Grep'];
    const sentences =
      'Do not use Bash for file reads or writes — use Read, Write, or Edit instead. ' +
      'Do not use Bash for file search — use Grep instead.';
    const { description } = createTool('agentrail', { tools });
    expect(description.endsWith(sentences)).toBe(true);
    expect(createTools('agentrail', { tools }).instructions).toContain(sentences);
    expect(createTool('agentrail').description).not.toContain('Do not use');
    expect(createTool('agentrail', { tools: ['Bash'] }).description).not.toContain('Do not use');
    expect(createTool('agentrail', { tools, name: 'shell' }).description).toContain('Do not use shell for');
    expect(createTool('voice', { tools: ['read_file', 'grep_search', 'find_files'] }).description).toContain(
      'Use dedicated tools for reading/writing files: read_file. ' +
        'Prefer grep_search and find_files for code search.',
    );
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

describe('the identity of a tool', () => {
  it('is that of the registry of its original, and may be its name', () => {
    const { identity } = createTools('rye');
    expect(identity).toEqual({ id: 'rye/bash/bash', namespace: 'rye/bash/', version: '1.0.0' });
    expect(createTools('bash').identity).toBe(null);
    expect(createTool('rye', { name: 'rye/bash/bash' }).name).toBe('rye/bash/bash');
    expect(() => createTool('bash', { name: 'rye/bash/bash' })).toThrow("'options.name'");
  });
});

describe('long output of agentrail', () => {
  it('is whole up to 1 MiB, and cut beyond', async () => {
    const outputOf = async (bytes: number, output?: { maxBytes: number }) => {
      const tool = createTool('agentrail', { output });
      const { data } = await tool.execute({ command: `head -c ${bytes} /dev/zero | tr '\\0' a` });
      return data.stdout;
    };
    expect((await outputOf(1_048_576)).length).toBe(1_048_576);
    expect(await outputOf(1_048_577)).toMatch(/^a+\n\[\.\.\. 1 byte of a line omitted \.\.\.\]\na+$/);
    expect((await outputOf(3_000, { maxBytes: 1_000 })).length).toBeLessThan(1_100);
  });
});

describe("a model's description of a command", () => {
  it('reaches the host by its name, in the approval and in the event of the decision', async () => {
    const seen: unknown[] = [];
    const toolset = createTools('execute_bash_command', {
      approve: ({ description }) => {
        seen.push(description);
        return 'allow';
      },
    });
    toolset.on('decision', ({ description }) => seen.push(description));
    await toolset.call('execute_bash_command', { command: 'true', description: 'Do nothing' });
    await toolset.call('execute_bash_command', { command: 'true' });
    expect(seen).toEqual(['Do nothing', 'Do nothing', null, null]);
    const [tool] = toolset.tools;
    expect(await tool?.decide({ command: 'true', description: 'Ask' })).toMatchObject({ description: 'Ask' });
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
