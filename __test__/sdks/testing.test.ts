// Agents with scripted models: the first run records their commands, and the second starts nothing.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Agent, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { aiTools } from 'agent-bash/ai-sdk';
import { langchainTools } from 'agent-bash/langchain';
import { functionTools } from 'agent-bash/openai';
import type { Mode, TestShell } from 'agent-bash/testing/vitest';
import { withShell } from 'agent-bash/testing/vitest';
import { createTools, type Toolset } from 'agent-bash/tools';
import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { createAgent } from 'langchain';
import { afterAll, expect, it } from 'vitest';
import { done, toolCalls } from './scripted-turns.js';

const directory = mkdtempSync(join(tmpdir(), 'agent-bash-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

setTracingDisabled(true);

// biome-ignore lint/suspicious/noExplicitAny: the turns of a scripted model, as an example writes them.
type Any = any;

/** The commands of an agent. The time is another one in each run. */
const COMMANDS = ["sed -i 's/var/let/' src/a.js && grep -c let src/a.js", 'date +%s%N; cat src/a.js; exit 3'];

/** Agents that make a call for each command, and return the answers. */
const AGENTS: Record<string, (toolset: Toolset) => Promise<unknown>> = {
  async 'the AI SDK'(toolset) {
    const calls = COMMANDS.map((command) => toolCalls([{ name: 'bash', args: { command } }]));
    const turns = [...calls, done];
    const model = new MockLanguageModelV4({ doGenerate: async () => turns.shift() });
    const settings = { model, tools: aiTools(toolset), stopWhen: isStepCount(5), prompt: 'Repair' };
    const { steps } = await generateText(settings);
    return steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
  },
  async 'OpenAI Agents'(toolset) {
    const calls = COMMANDS.map((command, index) => [
      functionCall('bash', JSON.stringify({ command }), { callId: `call-${index}` }),
    ]);
    const model = new ScriptedModel([...calls, [assistantMessage('done')]]);
    await run(new Agent({ name: 'test', model, tools: functionTools(toolset) as Any }), 'Repair');
    const items = model.lastCall?.request.input as Any[];
    return items.filter(({ type }) => type === 'function_call_result').map(({ output }) => output);
  },
  async LangChain(toolset) {
    let model: Any = fakeModel();
    for (const [index, command] of COMMANDS.entries()) {
      model = model.respondWithTools([{ name: 'bash', args: { command }, id: `call-${index}` }]);
    }
    const agent = createAgent({
      model: model.respond(new AIMessage('done')),
      tools: langchainTools(toolset),
    });
    const { messages }: Any = await agent.invoke({ messages: [new HumanMessage('Repair')] });
    return messages
      .filter((message: unknown) => ToolMessage.isInstance(message))
      .map(({ content }: Any) => content);
  },
};

function project(): string {
  const path = mkdtempSync(join(directory, 'app-'));
  mkdirSync(join(path, 'src'));
  writeFileSync(join(path, 'src/a.js'), 'var a\n');
  return path;
}

async function inMode<T>(file: string, mode: Mode, app: string, act: (shell: TestShell) => Promise<T>) {
  return withShell('repairs the code', { file, mode, project: app, files: true }, act);
}

it.each(Object.entries(AGENTS))(
  'an agent on %s is recorded once, and replayed without a process',
  async (_, agent) => {
    const app = project();
    const file = join(app, '../agent.json');
    rmSync(file, { force: true });
    const act = async (shell: TestShell) => {
      await using toolset = createTools('bash', { root: shell.root });
      const answers = await agent(toolset);
      expect(shell).toHaveRunInOrder(['sed *', 'grep *', 'date *']);
      expect(shell).toHaveTouched(['src/a.js']);
      expect(readFileSync(join(shell.root, 'src/a.js'), 'utf8')).toBe('let a\n');
      return JSON.stringify(answers).replaceAll(shell.root, '<root>');
    };
    const recorded = await inMode(file, 'record', app, act);
    expect(existsSync(file)).toBe(true);
    expect(recorded).toContain('let a');
    expect(await inMode(file, 'replay', app, act)).toBe(recorded);
  },
);

it('an MCP server that a client starts is recorded once, and replayed without a process', async () => {
  const app = project();
  const file = join(app, '../mcp.json');
  const cli = join(import.meta.dirname, 'node_modules/agent-bash/entry/cli.js');
  const act = async (shell: TestShell) => {
    const env = { ...(process.env as Record<string, string>), ...shell.childEnv('server') };
    const args = [cli, 'mcp', '--mode', 'auto', '--root', shell.root];
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
    const answers = [];
    for (const command of COMMANDS) {
      const { content }: Any = await client.callTool({ name: 'bash', arguments: { command } });
      answers.push(content);
    }
    await client.close();
    expect(readFileSync(join(shell.root, 'src/a.js'), 'utf8')).toBe('let a\n');
    return JSON.stringify(answers).replaceAll(shell.root, '<root>');
  };
  const recorded = await inMode(file, 'record', app, act);
  expect(recorded).toContain('let a');
  expect(await inMode(file, 'replay', app, act)).toBe(recorded);
});
