import { createTool, createTools, type Dialect, dialects, type ToolUpdate } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { argumentsOf } from '../arguments.js';

/** Prints each control character on both streams, between letters. */
const ALL = `for i in $(seq 0 31); do printf "a\\\\$(printf %o $i)b\\n"; printf "c\\\\$(printf %o $i)d\\n" >&2; done`;

const CONTROLS = /[\0-\x08\x0b-\x1f]/g;

/** Returns the control characters, but tabs and line feeds, in all texts of a value. */
function controls(value: unknown): string[] {
  if (typeof value === 'string') return value.match(CONTROLS) ?? [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap((entry) => entry.flatMap(controls));
}

/** The dialects whose originals keep escape sequences. */
const WITH_ESCAPES: Dialect[] = [
  'voice',
  'rye',
  'agentrail',
  'openai-shell',
  'openai-local-shell',
  'codex-shell',
  'codex-exec',
];

describe.each([...dialects])('an answer of %s', (dialect) => {
  it('has no control character of the output but tabs and line feeds', async () => {
    await using tool = createTool(dialect, { nonInteractive: true });
    const result = await tool.execute(argumentsOf(dialect, ALL));
    expect(controls(result)).toEqual([]);
    expect(result.text).toMatch(/a(\t|\\t)b/);
    expect(result.text).toMatch(/c(\t|\\t)d/);
  });

  it('has no control character of the arguments', async () => {
    await using toolset = createTools(dialect);
    for (const tool of toolset) {
      const args = { ...argumentsOf(dialect, `echo 'a\x01b\x1b'`), job: '\x01', session_id: '\x01' };
      const more = { description: 'x\x02', cwd: '/none\x03', directory: '\x03', signal: '\x04' };
      expect(controls(await tool.execute({ ...args, ...more }))).toEqual([]);
    }
  });

  it('has no control character of a denial', async () => {
    const approve = () => ({ verdict: 'deny' as const, reason: 'no\x07\x1b[1m' });
    await using tool = createTool(dialect, { approve });
    const result = await tool.execute(argumentsOf(dialect, 'true'));
    expect(controls(result)).toEqual([]);
    expect(result.text).toContain('no');
  });

  it('has no control character in its updates', async () => {
    await using tool = createTool(dialect, { updates: { intervalMs: 10 } });
    const updates: ToolUpdate[] = [];
    const onUpdate = (update: ToolUpdate) => updates.push(update);
    await tool.execute(argumentsOf(dialect, `${ALL}; sleep 0.1`), { onUpdate });
    expect(updates.length).toBeGreaterThan(0);
    expect(controls(updates)).toEqual([]);
  });
});

describe.each(WITH_ESCAPES)('an answer of %s in the words of the original', (dialect) => {
  it.each([{ compat: true }, { compat: 'escapes' }, { output: { stripAnsi: false } }])(
    'keeps escape sequences, and no other control character: %o',
    async (options) => {
      await using tool = createTool(dialect, options);
      const result = await tool.execute(argumentsOf(dialect, `printf '\\033[1mx\\033[0m'; ${ALL}`));
      expect(result.text.replaceAll('\\u001b', '\x1b')).toContain('\x1b[1mx\x1b[0m');
      expect(new Set(controls(result))).toEqual(new Set(['\x1b']));
    },
  );
});

describe('a job', () => {
  it('has no control character in what is read of it', async () => {
    await using toolset = createTools('codex-exec');
    const command = { cmd: `${ALL}; cat`, login: false, tty: true, yield_time_ms: 250 };
    const { data } = await toolset.call('exec_command', command);
    const { session_id } = data;
    const written = await toolset.call('write_stdin', { session_id, chars: '\x01\x1b[A\n' });
    expect(controls([data, written])).toEqual([]);
  });

  it('shows a prompt that has no line break', async () => {
    await using toolset = createTools('codex-exec');
    const command = { cmd: 'printf "\\033[1mname:\\033[0m "; read x', login: false, tty: true };
    const { data } = await toolset.call('exec_command', { ...command, yield_time_ms: 1_000 });
    expect(data.output).toBe('name: ');
  });
});
