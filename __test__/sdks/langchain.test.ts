import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { langchainTools } from 'agent-bash/langchain';
import { createTools, type Toolset } from 'agent-bash/tools';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { type Answer, type Call, contract, type Run } from './contract.js';

// biome-ignore lint/suspicious/noExplicitAny: LangChain's types of messages are many.
type Any = any;

/** The answers of a person: in our own form, and in that of LangChain's middleware for approvals. */
const FORMS = {
  'our own answers': { approves: true, rejects: { approved: false, reason: 'the user declined' } },
  "the middleware's answers": {
    approves: { decisions: [{ type: 'approve' }] },
    rejects: { decisions: [{ type: 'reject', message: 'the user declined' }] },
  },
};

for (const [form, answers] of Object.entries(FORMS)) {
  contract({
    name: `an agent of LangChain, ${form}`,
    asks: true,
    resumes: true,
    rejection: /declined/,
    call: (toolset, calls, run) => callThrough(toolset, calls, run, answers),
  });
}

async function callThrough(
  toolset: Toolset,
  calls: readonly Call[],
  { signal, person, elsewhere }: Run,
  answers: { approves: unknown; rejects: unknown },
): Promise<Answer[]> {
  const toolCalls = calls.map(({ name, args }, index) => ({ name, args: args as Any, id: `call-${index}` }));
  const model = fakeModel().respondWithTools(toolCalls).respond(new AIMessage('done'));
  const checkpointer = new MemorySaver();
  const agentWith = (used: Toolset) => {
    const tools = langchainTools(used, { onAsk: 'interrupt', interrupt });
    return createAgent({ model: model as Any, tools, checkpointer });
  };
  const config = { configurable: { thread_id: '1' }, ...(signal && { signal }) };
  let state: Any = await agentWith(toolset).invoke({ messages: [new HumanMessage('go')] }, config);
  if (state.__interrupt__ !== undefined) {
    const resume = answers[person ?? 'rejects'];
    state = await agentWith(elsewhere ?? toolset).invoke(new Command({ resume }), config);
  }
  return state.messages
    .filter((message: unknown) => ToolMessage.isInstance(message))
    .map(({ content, status }: Any) => ({ text: content, isError: status === 'error' }));
}

describe('langchainTools()', () => {
  const call = (args: object) => ({ type: 'tool_call' as const, id: '1', name: 'bash', args });

  it('gives the result of a command that was aborted', async () => {
    await using toolset = createTools('bash');
    const [tool] = langchainTools(toolset);
    const signal = AbortSignal.timeout(300);
    const message: Any = await tool?.invoke(call({ command: 'echo part; sleep 99' }), { signal });
    expect(message.content).toContain('part');
    expect(message.status).toBe('error');
  });

  it('has the structured form as the artifact, and the text alone without a call', async () => {
    await using toolset = createTools('bash');
    const [tool] = langchainTools(toolset);
    const message: Any = await tool?.invoke(call({ command: 'exit 3' }));
    expect(message).toMatchObject({ status: 'error', tool_call_id: '1', artifact: { exit_code: 3 } });
    expect(await tool?.invoke({ command: 'echo works' })).toContain('works');
  });

  it('throws errors if asked to', async () => {
    await using toolset = createTools('bash');
    const [tool] = langchainTools(toolset, { errors: 'throw' });
    await expect(tool?.invoke(call({ command: 'exit 3' }))).rejects.toThrow('exit code: 3');
  });

  it('shows the model the whole schema', async () => {
    await using toolset = createTools('bash');
    const [tool] = langchainTools(toolset);
    expect(convertToOpenAITool(tool as Any).function.parameters).toEqual(toolset.tools[0]?.inputSchema);
    // Versions before Standard Schema send it as it is.
    expect(JSON.parse(JSON.stringify(tool?.schema))).toEqual(toolset.tools[0]?.inputSchema);
  });

  it('streams the output while a command runs', async () => {
    await using toolset = createTools('bash', { updates: { intervalMs: 20 } });
    const command = 'for i in 1 2 3; do echo line $i; sleep 0.3; done';
    const model = fakeModel()
      .respondWithTools([{ name: 'bash', args: { command }, id: 'call-1' }])
      .respond(new AIMessage('done'));
    const agent = createAgent({ model: model as Any, tools: langchainTools(toolset) });
    const input = { messages: [new HumanMessage('go')] };
    const updates: Any[] = [];
    for await (const update of await agent.stream(input, { streamMode: 'custom' })) updates.push(update);
    expect(updates.length).toBeGreaterThan(1);
    for (const update of updates)
      expect(update).toMatchObject({ type: 'agent-bash', tool: 'bash', callId: 'call-1' });
    expect(updates[0].text).toBe('line 1\n');
    expect(updates.map(({ chunk }) => chunk).join('')).toMatch(/^line 1\nline 2\n(line 3\n)?$/);
  });

  it("names the provider's own tool if asked to", async () => {
    await using toolset = createTools('anthropic-bash', { session: 'none' });
    const [tool] = langchainTools(toolset, { providerTool: true });
    expect(tool?.extras).toEqual({ providerToolDefinition: { type: 'bash_20250124', name: 'bash' } });
  });

  it('asks in the form of the middleware for approvals, with the command and the reason', async () => {
    await using toolset = createTools('bash', { approve: () => ({ verdict: 'ask', reason: 'it writes' }) });
    let asked: Any;
    const ask = (question: object) => {
      asked = question;
      return {
        decisions: [{ type: 'edit', editedAction: { name: 'bash', args: { command: 'echo other' } } }],
      };
    };
    const [tool] = langchainTools(toolset, { onAsk: 'interrupt', interrupt: ask });
    const message: Any = await tool?.invoke(call({ command: 'echo ran' }));
    const action = { name: 'bash', args: { command: 'echo ran' }, description: 'echo ran\n\nit writes' };
    expect(asked).toMatchObject({
      tool: 'bash',
      command: 'echo ran',
      reason: 'it writes',
      actionRequests: [action],
      reviewConfigs: [{ actionName: 'bash', allowedDecisions: ['approve', 'reject'] }],
    });
    expect(message.content).toContain('the user wants another command');
  });

  it('refuses wrong options', async () => {
    await using toolset = createTools('bash');
    expect(() => langchainTools(toolset, { errors: 'ignore' as Any })).toThrow('options.errors');
    expect(() => langchainTools(toolset, { onAsk: 'interrupt' })).toThrow('options.interrupt');
  });
});
