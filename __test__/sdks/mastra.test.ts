import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { aiTools, mastraTools } from 'agent-bash/ai-sdk';
import { createTools, type Toolset } from 'agent-bash/tools';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { type Answer, type Call, contract, type Run } from './contract.js';

// biome-ignore lint/suspicious/noExplicitAny: the prompts of the scripted model have many forms.
type Any = any;

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const turn = (content: Any[], reason: Any) => ({
  content,
  finishReason: { unified: reason, raw: reason },
  usage: USAGE,
  warnings: [],
});
const done = turn([{ type: 'text', text: 'done' }], 'stop');
const toolCalls = (calls: readonly Call[]) =>
  turn(
    calls.map(({ name, args }, index) => ({
      type: 'tool-call',
      toolCallId: `call-${index}`,
      toolName: name,
      input: JSON.stringify(args),
    })),
    'tool-calls',
  );

/** Returns the answers that the model got for its calls. */
function answersIn(model: MockLanguageModelV4): Answer[] {
  const { prompt } = model.doGenerateCalls.at(-1) as Any;
  const parts = prompt.filter(({ role }: Any) => role === 'tool').flatMap(({ content }: Any) => content);
  return parts
    .filter(({ type }: Any) => type === 'tool-result')
    .map(({ output }: Any) => {
      if (output.type === 'execution-denied') return { text: `denied: ${output.reason ?? ''}` };
      return { text: typeof output.value === 'string' ? output.value : JSON.stringify(output.value) };
    });
}

async function callThrough(
  toolset: Toolset,
  calls: readonly Call[],
  { signal, person, elsewhere }: Run,
  toolsOf: typeof mastraTools = mastraTools,
): Promise<Answer[]> {
  const model = new MockLanguageModelV4({ doGenerate: [toolCalls(calls), done, done] as Any });
  // A run is resumed from the storage, also by another process.
  const storage = new InMemoryStore();
  const agentWith = (used: Toolset) => {
    const agent = new Agent({
      id: 'test',
      name: 'test',
      instructions: '',
      model: model as Any,
      tools: toolsOf(used),
    });
    return new Mastra({ agents: { agent }, storage, logger: false }).getAgent('agent');
  };
  let result = await agentWith(toolset).generate('go', signal ? { abortSignal: signal } : {});
  if (result.finishReason === 'suspended') {
    const agent = agentWith(elsewhere ?? toolset);
    const options = { runId: result.runId as string, toolCallId: result.suspendPayload.toolCallId };
    result = await (person === 'approves'
      ? agent.approveToolCallGenerate(options)
      : agent.declineToolCallGenerate(options));
  }
  return answersIn(model);
}

contract({
  name: 'an agent of Mastra',
  asks: true,
  resumes: true,
  call: (toolset, calls, run) => callThrough(toolset, calls, run),
});

describe('aiTools() in Mastra', () => {
  const call = { name: 'bash', args: { command: 'echo ran' } };

  it('give the model the output, with updates for the AI SDK', async () => {
    await using toolset = createTools('bash');
    const [answer] = await callThrough(toolset, [call], {}, aiTools as Any);
    expect(answer?.text).toMatch(/^ran\n/);
  });

  it('run nothing that needs an approval where the hook is off', async () => {
    await using toolset = createTools('bash', { approve: () => 'ask' });
    const tools = (used: Toolset) => aiTools(used, { approval: false });
    const [answer] = await callThrough(toolset, [call], { person: 'approves' }, tools as Any);
    expect(answer?.text).toContain('it needs an approval, and there is nobody to ask');
  });
});
