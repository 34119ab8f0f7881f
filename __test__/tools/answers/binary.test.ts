import { statSync } from 'node:fs';
import { createTool, createTools, type Dialect, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { argumentsOf } from '../arguments.js';

/**
 * Prints random bytes, and text around them. ESC may begin a sequence that hides text. The first bytes are no
 * signature of a kind of file, and the last line has a NUL: by chance they may be one, and text, otherwise.
 */
const MIXED =
  'echo before; (head -c 64 /dev/zero | tr "\\0" "\\377"; head -c 3000000 /dev/urandom) | tr -d "\\033"; ' +
  'printf "\\0\\n"; echo "error: no disk"; exit 3';

/** The replacement characters in all texts of a value. */
function replaced(value: unknown): number {
  return JSON.stringify(value).match(/\ufffd|\\ufffd/g)?.length ?? 0;
}

describe.each([...dialects])('binary output in %s', (dialect) => {
  it('is described by its size and its first bytes', async () => {
    await using tool = createTool(dialect);
    const command = "printf '\\211PNG\\r\\n\\032\\n'; head -c 5000000 /dev/urandom";
    const { text, data } = await tool.execute(argumentsOf(dialect, command));
    expect(text).toContain('[binary output, 5000008 bytes: PNG image, first bytes 89 50 4e 47 0d 0a 1a 0a ');
    expect(replaced([text, data])).toBe(0);
    expect(text.length).toBeLessThan(2_000);
  });

  it('leaves the text before it', async () => {
    await using tool = createTool(dialect);
    const { text } = await tool.execute(argumentsOf(dialect, MIXED));
    expect(text).toMatch(/bytes: first bytes 62 65 66 6f 72 65 0a .*\]\\?n?\n?before(\\n|\n)/);
  });

  it('is no text with some bytes of another encoding', async () => {
    await using tool = createTool(dialect);
    const command = "printf 'M\\374ller wohnt hier\\n%.0s' $(seq 100)";
    const { text } = await tool.execute(argumentsOf(dialect, command));
    expect(text).toContain('M\ufffdller wohnt hier');
  });
});

describe.each(dialects.filter((name) => name !== 'voice' && name !== 'rye'))(
  'binary output in %s',
  (dialect) => {
    it('leaves the error behind it', async () => {
      await using tool = createTool(dialect);
      const { text } = await tool.execute(argumentsOf(dialect, MIXED));
      expect(text).toContain('error: no disk');
    });
  },
);

describe.each(dialects.filter((name) => name !== 'bash'))('binary output in %s', (dialect) => {
  it.each([true, 'binary'])('has the form of the original by compat: %s', async (compat) => {
    await using tool = createTool(dialect, { compat });
    const { text } = await tool.execute(argumentsOf(dialect, 'head -c 5000 /dev/urandom'));
    expect(text).not.toContain('[binary output');
    expect(replaced(text)).toBeGreaterThan(100);
  });
});

const WITH_FILES: [Dialect, object][] = [
  ['bash', {}],
  ['oh-my-pi', {}],
  ['gemini', {}],
  ['claude-code', { form: 'current' }],
  ['anthropic-bash', { output: { spill: true } }],
];

describe.each(WITH_FILES)('binary output in %s %o', (dialect, options) => {
  it('is in the file that the answer names', async () => {
    await using tool = createTool(dialect, options);
    const { text } = await tool.execute(argumentsOf(dialect, 'head -c 5000000 /dev/urandom'));
    const [, path] = /; all of the output is in (\S+)\]/.exec(text) ?? [];
    expect(statSync(String(path)).size).toBe(5_000_000);
  });
});

describe('binary output in bash', () => {
  it('is in a file also where a model could read all of it', async () => {
    await using tool = createTool('bash');
    const { text } = await tool.execute({ command: 'head -c 11000 /dev/urandom' });
    const [, path] = /; all of the output is in (\S+)\]/.exec(text) ?? [];
    expect(statSync(String(path)).size).toBe(11_000);
  });

  it('is described by bash_output too, unless lines are asked for', async () => {
    await using toolset = createTools('bash');
    const { data } = await toolset.call('bash', { command: MIXED });
    const path = data.spill_path;
    const { text } = await toolset.call('bash_output', { path });
    expect(text).toMatch(/^\[binary output, \d+ bytes: first bytes 62 65 .* is in \/.*\]\nbefore\n/);
    expect(replaced(text)).toBe(0);
    const lines = await toolset.call('bash_output', { path, from: 1, to: 1 });
    expect(lines.text).toMatch(/^before\n/);
  });

  it('is described when a job is read', async () => {
    await using toolset = createTools('bash');
    const command = `${MIXED.replace('exit 3', 'sleep 99')}`;
    const { data } = await toolset.call('bash', { command, background: true });
    await toolset.jobs.get(data.job)?.ready({ pattern: 'no disk' });
    const { text } = await toolset.call('bash_read', { job: data.job, since: 0 });
    expect(text).toMatch(/\[binary output, \d+ bytes: of no known kind; /);
    expect(text).toContain('error: no disk');
    expect(replaced(text)).toBe(0);
    const again = await toolset.call('bash_read', { job: data.job });
    expect(again.text).toMatch(/^\(no new output\)\n\[running, pid \d+\]$/);
  });

  it('is described once when a job that is over is read', async () => {
    await using toolset = createTools('bash');
    const { data } = await toolset.call('bash', { command: MIXED, background: true });
    await toolset.jobs.wait(data.job);
    const first = await toolset.call('bash_read', { job: data.job });
    expect(first.text).toMatch(
      /^(\[\d+ earlier .*\]\n)?\[binary output, .*\]\n(before\n)?\n?error: no disk\n\[exit code: 3\]$/,
    );
    const again = await toolset.call('bash_read', { job: data.job });
    expect(again.text).toBe('(no new output)\n[exit code: 3]');
  });
});
