import { readFileSync } from 'node:fs';
import { createTool, createTools, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { faults } from './valid.js';

const BUILD =
  'for i in $(seq 5000); do echo "unit $i"; [ $i = 2345 ] && echo "main.c:7:3: error: no such type" >&2; done; exit 2';

function argumentsOf(dialect: string, command: string): object {
  if (dialect === 'openai-shell') return { commands: [command] };
  const isArgv = dialect === 'openai-local-shell' || dialect === 'codex-shell';
  return { command: isArgv ? ['bash', '-c', command] : command };
}

describe('the view of a toolset', () => {
  // codex-exec reads the output of its jobs piece by piece.
  it.each(dialects.filter((dialect) => dialect !== 'codex-exec'))(
    'shows the error of a build in %s',
    async (dialect) => {
      await using tool = createTool(dialect, { output: { view: { maxBytes: 600 } } });
      const { text, data, run } = await tool.execute(argumentsOf(dialect, BUILD));
      expect(text).toContain('main.c:7:3: error: no such type');
      expect(text).toMatch(/\[lines \d+-\d+ left out: /);
      expect(text).not.toMatch(/Showing|WARNING/);
      expect(faults(data, tool.outputSchema)).toEqual([]);
      if (run === undefined) throw new Error('nothing was run');
      expect(text).toContain(run.spillPath);
      expect(readFileSync(run.spillPath ?? '', 'utf8').split('\n')).toHaveLength(5_002);
    },
  );

  it.each(['none', 'live', 'carry', 'cwd'] as const)(
    'leaves short output as it is, and no file: %s',
    async (session) => {
      await using tool = createTool('bash', { session, output: { view: true } });
      const { text, run } = await tool.execute({ command: 'echo one; echo two >&2' });
      expect([text, run?.spillPath]).toEqual(['one\ntwo\n[exit code: 0]', null]);
    },
  );

  it('has the budget of the output, and no file where none is wanted', async () => {
    await using tool = createTool('bash', { output: { maxBytes: 1_000, spill: false, view: true } });
    const { data, run } = await tool.execute({ command: 'seq 5000' });
    expect(data.truncated).toBe(true);
    expect(Buffer.byteLength(data.output)).toBeLessThanOrEqual(1_000);
    expect(run?.spillPath).toBeNull();
  });

  it.each([
    [{ view: 5 }, "'options.output.view'"],
    [{ view: { maxBytes: 1 } }, "'options.output.view.maxBytes'"],
    [{ view: true, keep: 'head' }, "'options.output.keep'"],
  ])('is refused when it is wrong: %o', (output, message) => {
    expect(() => createTools('bash', { output: output as object })).toThrow(message);
  });
});
