import { createTool, createTools, type Dialect, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { argumentsOf } from '../arguments.js';

const FAILURE = 'seq 1 40000; echo FATAL >&2; exit 1';

/**
 * More than the characters of any answer to a single command: `rye` has each stream twice, up to 51,200
 * bytes, as JSON.
 */
const MOST = 256 * 1024;
/** `agentrail` has 1 MiB of each stream, as its document says. */
const MAX_TEXT: Partial<Record<Dialect, number>> = { agentrail: 2 * 1024 * 1024 + 1_000 };

/** `voice` has the contract of `bash()`: the beginning. */
const OTHERS = dialects.filter((dialect) => dialect !== 'voice');

describe.each(OTHERS)('long output in %s', (dialect) => {
  it('has its end, where the error is', async () => {
    await using tool = createTool(dialect);
    const { text } = await tool.execute(argumentsOf(dialect, FAILURE));
    expect(text).toContain('FATAL');
    expect(text).toMatch(/\b1(\\n|\n)2(\\n|\n)/);
  });

  it('has its end in the data too', async () => {
    await using tool = createTool(dialect);
    const { data } = await tool.execute(argumentsOf(dialect, FAILURE));
    expect(JSON.stringify(data)).toContain('FATAL');
  });
});

describe.each([...dialects])('an answer of %s', (dialect) => {
  it('is bounded, and so is its data', async () => {
    await using tool = createTool(dialect);
    const { text, data } = await tool.execute(argumentsOf(dialect, 'seq 400000; seq 400000 >&2'));
    const most = MAX_TEXT[dialect] ?? MOST;
    expect(text.length).toBeLessThan(most);
    // Each line break of the data is two characters.
    expect(JSON.stringify(data).length).toBeLessThan(1.2 * most);
  });
});

describe('long output in claude-code', () => {
  it.each(['classic', 'current'] as const)('has the form of the original by compat: %s', async (form) => {
    await using tool = createTool('claude-code', { form, compat: 'beginning' });
    const { text } = await tool.execute({ command: FAILURE });
    expect(text).toMatch(/^Exit code 1\n(1\n2\n|<persisted-output>\n.*\n\nPreview \(first 2KB\):\n1\n2\n)/);
    expect(text).not.toContain('FATAL');
  });
});

describe('the limit of the original', () => {
  it.each<[Dialect, number]>([
    ['agentrail', 1024 * 1024],
    ['execute_bash_command', 5_000_000],
  ])('is that of %s by compat', async (dialect, length) => {
    await using tool = createTool(dialect, { compat: 'limit' });
    const { text } = await tool.execute({ command: 'yes 0123456789 | head -c 5000000' });
    expect(text.length).toBeGreaterThan(0.8 * length);
  });
});

describe('a read of a job', () => {
  it.each([
    ['bash', { output: { view: false } }, { background: true }, 'bash_read', 'job'],
    ['gemini', {}, { is_background: true }, 'read_background_output', 'pid'],
  ] as const)('is bounded in %s', async (dialect, options, args, tool, id) => {
    await using toolset = createTools(dialect, options);
    const name = String(toolset.tools[0]?.name);
    const command = 'yes 0123456789 | head -c 900000; echo END; sleep 99';
    const { data, jobId } = await toolset.call(name, { command, ...args });
    await toolset.jobs.get(String(jobId))?.ready({ pattern: 'END' });
    const lines = { lines: 1_000_000, since: 0 };
    const read = await toolset.call(tool, { [id]: data[id], ...lines });
    expect(read.text.length).toBeLessThan(42_000);
    expect(read.text).toContain('END');
    expect(JSON.stringify(read.data).length).toBeLessThan(60_000);
  });
});
