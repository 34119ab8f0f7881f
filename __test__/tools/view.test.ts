import { existsSync, readFileSync } from 'node:fs';
import { createTool, createTools, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { argumentsOf } from './arguments.js';
import { faults } from './valid.js';

const BUILD =
  'for i in $(seq 5000); do echo "unit $i"; [ $i = 2345 ] && echo "main.c:7:3: error: no such type" >&2; done; exit 2';

describe('the view of a toolset', () => {
  it.each(dialects)('shows the error of a build in %s', async (dialect) => {
    await using tool = createTool(dialect, { output: { view: { maxBytes: 600 } } });
    const { text, data, run } = await tool.execute(argumentsOf(dialect, BUILD));
    expect(text).toContain('main.c:7:3: error: no such type');
    expect(text).toMatch(/\[lines \d+-\d+ left out: /);
    expect(text).not.toMatch(/Showing|WARNING/);
    expect(faults(data, tool.outputSchema)).toEqual([]);
    if (run === undefined) throw new Error('nothing was run');
    expect(text).toContain(run.spillPath);
    expect(readFileSync(run.spillPath ?? '', 'utf8').split('\n')).toHaveLength(5_002);
  });

  it.each([true, { maxBytes: 1_000_000 }])(
    'is not cut by any dialect: %o',
    async (view) => {
      for (const dialect of dialects) {
        await using tool = createTool(dialect, { output: { view, maxBytes: 2_000 } });
        const { text, run } = await tool.execute(argumentsOf(dialect, 'seq 50000; echo "x.c:1: error: it"'));
        expect(text, dialect).toContain('x.c:1: error: it');
        expect(text, dialect).not.toMatch(/[^"]truncated|Showing|omitted/i);
        if (view === true) expect(text, dialect).toContain(run?.spillPath);
      }
    },
    60_000,
  );

  it.each(['none', 'live', 'carry', 'cwd'] as const)(
    'leaves short output as it is, and no file: %s',
    async (session) => {
      await using tool = createTool('bash', { session, output: { view: true } });
      const { text, run } = await tool.execute({ command: 'echo one; echo two >&2' });
      expect([text, run?.spillPath]).toEqual(['one\ntwo\n[exit code: 0]', null]);
    },
  );

  it.each([{ view: false }, { keep: 'both' }, { stripAnsi: false }] as const)(
    'is what a model reads of bash, but not with %o',
    async (output) => {
      await using tool = createTool('bash');
      const viewed = await tool.execute({ command: BUILD });
      expect(viewed.text).toContain('main.c:7:3: error: no such type');
      expect(viewed.text.split(viewed.run?.spillPath ?? 'no file')).toHaveLength(3);
      expect(tool.description).toContain('lines that matter');
      await using other = createTool('bash', { output });
      const { text, run } = await other.execute({ command: BUILD });
      expect(text).not.toContain('main.c:7:3');
      expect(text).toMatch(/bytes omitted|left out|\.\.\./);
      expect(run?.spillPath).toBeNull();
      expect(other.description).toContain('a marker where the middle of long output was left out');
    },
  );

  it('names the file once where the view has no last line', async () => {
    await using tool = createTool('bash', { output: { view: { footer: false } } });
    const { text, run } = await tool.execute({ command: 'seq 20000' });
    expect(text).toContain(`\n[all of the output: ${run?.spillPath}]\n[exit code: 0]`);
  });

  it('keeps its files until the toolset is disposed of', async () => {
    const toolset = createTools('bash');
    const { run } = await toolset.call('bash', { command: 'seq 20000' });
    expect(existsSync(run?.spillPath ?? '')).toBe(true);
    await toolset.dispose();
    expect(existsSync(run?.spillPath ?? '')).toBe(false);
  });

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
