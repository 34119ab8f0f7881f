// The example of docs/testing.md with the AI SDK: the first run records, and the second starts nothing.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aiTools } from 'agent-bash/ai-sdk';
import type { Mode, ShellOptions } from 'agent-bash/testing/vitest';
import { withShell } from 'agent-bash/testing/vitest';
import { createTools } from 'agent-bash/tools';
import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { afterAll, expect, it } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'agent-bash-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: the turns of a scripted model, as an example writes them.
type Any = any;

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const turn = (part: object, unified: string): Any => ({
  content: [part],
  finishReason: { unified, raw: unified },
  usage,
  warnings: [],
});

async function repair(options: ShellOptions): Promise<string> {
  return withShell('repairs the code', options, async (shell) => {
    const command = "sed -i 's/var/let/' src/a.js && grep -c let src/a.js";
    const turns = [
      turn(
        { type: 'tool-call', toolCallId: '1', toolName: 'bash', input: JSON.stringify({ command }) },
        'tool-calls',
      ),
      turn({ type: 'text', text: 'done' }, 'stop'),
    ];
    const model = new MockLanguageModelV4({ doGenerate: async () => turns.shift() });
    const toolset = createTools('bash', { root: shell.root });
    const { steps } = await generateText({
      model,
      tools: aiTools(toolset),
      stopWhen: isStepCount(5),
      prompt: 'Repair',
    });
    await toolset.dispose();
    expect(shell).toHaveRunInOrder(['sed *', 'grep *']);
    expect(shell).toHaveTouched(['src/a.js']);
    expect(readFileSync(join(shell.root, 'src/a.js'), 'utf8')).toBe('let a\n');
    const outputs = steps[0]?.toolResults.map(({ output }) => output);
    return JSON.stringify(outputs).replaceAll(shell.root, '<root>');
  });
}

it('an agent is recorded once, and replayed without a process', async () => {
  const project = join(directory, 'app');
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'src/a.js'), 'var a\n');
  const file = join(directory, 'a.json');
  const inMode = (mode: Mode) => repair({ mode, file, project, files: true });
  const recorded = await inMode('record');
  expect(existsSync(file)).toBe(true);
  expect(recorded).toContain('1');
  expect(await inMode('replay')).toBe(recorded);
});
