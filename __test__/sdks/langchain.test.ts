import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { langchainTools } from 'agent-bash/langchain';
import { createTools } from 'agent-bash/tools';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { contract } from './contract.js';

// biome-ignore lint/suspicious/noExplicitAny: LangChain's types of messages are many.
type Any = any;

contract({
  name: 'an agent of LangChain',
  asks: true,
  rejection: /declined/,
  async call(toolset, calls, { signal, person }) {
    const toolCalls = calls.map(({ name, args }, index) => ({
      name,
      args: args as Any,
      id: `call-${index}`,
    }));
    const model = fakeModel().respondWithTools(toolCalls).respond(new AIMessage('done'));
    const tools = langchainTools(toolset, { onAsk: 'interrupt', interrupt });
    const agent = createAgent({ model: model as Any, tools, checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: '1' }, ...(signal && { signal }) };
    let state: Any = await agent.invoke({ messages: [new HumanMessage('go')] }, config);
    if (state.__interrupt__ !== undefined) {
      expect(state.__interrupt__[0].value).toMatchObject({ tool: 'bash', command: expect.any(String) });
      const resume = person === 'approves' ? true : { approved: false, reason: 'the user declined' };
      state = await agent.invoke(new Command({ resume }), config);
    }
    return state.messages
      .filter((message: unknown) => ToolMessage.isInstance(message))
      .map(({ content, status }: Any) => ({ text: content, isError: status === 'error' }));
  },
});

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

  it("names the provider's own tool if asked to", async () => {
    await using toolset = createTools('anthropic-bash', { session: 'none' });
    const [tool] = langchainTools(toolset, { providerTool: true });
    expect(tool?.extras).toEqual({ providerToolDefinition: { type: 'bash_20250124', name: 'bash' } });
  });

  it('refuses wrong options', async () => {
    await using toolset = createTools('bash');
    expect(() => langchainTools(toolset, { errors: 'ignore' as Any })).toThrow('options.errors');
    expect(() => langchainTools(toolset, { onAsk: 'interrupt' })).toThrow('options.interrupt');
  });
});
