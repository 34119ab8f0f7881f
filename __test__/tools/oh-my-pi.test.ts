import { createTool, type ToolUpdate } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';

describe('internal URLs of oh-my-pi', () => {
  it.each([
    { command: 'cat skill://a/x' },
    { command: 'ls', cwd: 'skill://a' },
    { command: 'ls', env: { A: 'skill://a' } },
  ])('are an error where nobody resolves them: %s', async (args) => {
    const { text, isError } = await createTool('oh-my-pi').execute(args);
    expect([text, isError]).toEqual([
      expect.stringMatching(/^Cannot resolve skill:\/\/a(\/x)?: there is no 'resolveUrl'$/),
      true,
    ]);
  });

  it('have no scheme that is not known, for the directory', async () => {
    const tool = createTool('oh-my-pi', { resolveUrl: () => '/tmp' });
    const { text, isError } = await tool.execute({ command: 'ls', cwd: 'foo://bar' });
    expect([text, isError]).toEqual(['Unsupported URL scheme of the directory: foo', true]);
  });

  it('leave other URLs of a command alone', async () => {
    const { text } = await createTool('oh-my-pi').execute({ command: 'echo https://example.com/a' });
    expect(text).toMatch(/^https:\/\/example\.com\/a\n/);
  });
});

describe('long output of oh-my-pi', () => {
  it('of one line is said to be cut within the line', async () => {
    const tool = createTool('oh-my-pi');
    const { text } = await tool.execute({ command: "head -c 60000 /dev/zero | tr '\\0' a" });
    expect(text).toContain('a\n[... a part of this line left out ...]\na');
    expect(text).toMatch(/\n\[Showing lines 1-1 of 1, without a part of line 1 \(50KB limit\)\. Read \//);
    expect(text).not.toContain('lines left out');
  });

  it('is in an update up to 50 KiB', async () => {
    const updates: ToolUpdate[] = [];
    await createTool('oh-my-pi').execute(
      { command: 'seq 20000; sleep 0.5' },
      { onUpdate: (update) => updates.push(update) },
    );
    const longest = Math.max(...updates.map(({ text }) => text.length));
    expect(longest).toBe(50 * 1024);
  });
});
