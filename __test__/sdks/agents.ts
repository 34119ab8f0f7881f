// Agents of SDKs with scripted models, each of which makes the same calls.

import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { Agent, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { aiTools } from 'agent-bash/ai-sdk';
import { langchainTools } from 'agent-bash/langchain';
import { functionTools } from 'agent-bash/openai';
import type { Toolset } from 'agent-bash/tools';
import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { createAgent } from 'langchain';
import { done, toolCalls } from './scripted-turns.js';

setTracingDisabled(true);

// biome-ignore lint/suspicious/noExplicitAny: the turns of a scripted model, as an example writes them.
export type Any = any;

/** The commands of an agent. The time is another one in each run. */
export const COMMANDS = [
  "sed -i 's/var/let/' src/a.js && grep -c let src/a.js",
  'date +%s%N; cat src/a.js; exit 3',
];

/** Agents that make a call for each command, and return the answers. */
export const AGENTS: Record<string, (toolset: Toolset) => Promise<unknown>> = {
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
