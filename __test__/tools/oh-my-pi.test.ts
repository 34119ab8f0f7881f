import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createTool, type ToolUpdate } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

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

  it('have their parents of the scheme local, for this user alone, once the command may run', async () => {
    const directory = temporaryDirectory();
    const resolveUrl = (url: string) => url.replace(/^(\w+):\//, `${directory}/$1`);
    let verdict: 'allow' | 'deny' = 'deny';
    const tool = createTool('oh-my-pi', { resolveUrl, approve: () => verdict });
    const call = { command: 'echo kept >local://a/b/note && echo x >skill://c/d' };
    await tool.execute(call);
    expect(readdirSync(directory)).toEqual([]);
    verdict = 'allow';
    expect((await tool.execute(call)).text).toMatch(/skill\/c\/d: No such file or directory/);
    expect(readFileSync(join(directory, 'local/a/b/note'), 'utf8')).toBe('kept\n');
    expect(statSync(join(directory, 'local/a/b')).mode & 0o777).toBe(0o700);
  });

  it('are an error if their parents can not be created', async () => {
    const tool = createTool('oh-my-pi', { resolveUrl: () => '/dev/null/a/b' });
    const { text, isError } = await tool.execute({ command: 'cat local://b' });
    expect([text, isError]).toEqual(['Cannot create /dev/null/a: ENOTDIR', true]);
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
