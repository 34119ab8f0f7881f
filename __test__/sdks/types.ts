// Compiled, never run: what the adapters give is what the SDKs take, also by their types.

import type { Options } from '@anthropic-ai/claude-agent-sdk';
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { ContentBlock, MessageParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages';
import { Agent as MastraAgent } from '@mastra/core/agent';
import type { Transport } from '@modelcontextprotocol/client';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpServer } from '@modelcontextprotocol/server';
import { Agent, shellTool } from '@openai/agents';
import {
  aiTools,
  anthropicBash,
  mastraTools,
  openaiLocalShell,
  openaiShell,
  sandbox,
  toolApproval,
} from 'agent-bash/ai-sdk';
import * as anthropic from 'agent-bash/anthropic';
import { langchainTools } from 'agent-bash/langchain';
import { createMcpServer, registerTools } from 'agent-bash/mcp';
import * as openai from 'agent-bash/openai';
import { createTools } from 'agent-bash/tools';
import type { Experimental_SandboxSession, ToolSet as ToolSet7 } from 'ai';
import * as ai7 from 'ai';
import type { ToolSet as ToolSet6 } from 'ai-6';
import * as ai6 from 'ai-6';
import { createAgent } from 'langchain';
import type OpenAI from 'openai';
import type OpenAI6 from 'openai-6';

const toolset = createTools('bash');

// The AI SDK
export const tools6: ToolSet6 = {
  ...aiTools(toolset),
  bash: anthropicBash(),
  shell: openaiShell(),
  local_shell: openaiLocalShell(),
};
export const tools7: ToolSet7 = {
  ...aiTools(toolset),
  bash: anthropicBash(),
  shell: openaiShell(),
  local_shell: openaiLocalShell(),
};
export const session: Experimental_SandboxSession = sandbox();
declare const model6: ai6.LanguageModel;
declare const model7: ai7.LanguageModel;
export const generated6 = ai6.generateText({ model: model6, tools: aiTools(toolset), prompt: 'go' });
export const generated7 = ai7.generateText({
  model: model7,
  tools: aiTools(toolset),
  toolApproval: toolApproval(toolset),
  experimental_sandbox: sandbox(),
  prompt: 'go',
});
export const agent6 = new ai6.ToolLoopAgent({ model: model6, tools: aiTools(toolset) });
export const agent7 = new ai7.ToolLoopAgent({
  model: model7,
  tools: aiTools(toolset),
  toolApproval: toolApproval(toolset),
});

// OpenAI
export const agent = new Agent({
  name: 'any',
  tools: [...openai.functionTools(toolset), shellTool({ shell: openai.shell() })],
});
export const responsesTools: OpenAI.Responses.Tool[] = openai.responsesTools(toolset);
export const responsesTools6: OpenAI6.Responses.Tool[] = openai.responsesTools(toolset);
export const chatTools: OpenAI.Chat.Completions.ChatCompletionTool[] = openai.chatTools(toolset);
export async function openaiTurn(
  response: OpenAI.Responses.Response,
  completion: OpenAI.Chat.Completions.ChatCompletion,
) {
  const input: OpenAI.Responses.ResponseInputItem[] = await openai.respond(toolset, response.output);
  const input6: OpenAI6.Responses.ResponseInputItem[] = await openai.respond(toolset, response.output);
  const calls = completion.choices[0]?.message.tool_calls ?? [];
  const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = await openai.respondChat(
    toolset,
    calls,
  );
  return { input, input6, messages };
}

// Anthropic
export const messageTools: ToolUnion[] = anthropic.messageTools(toolset);
export const runnable: BetaRunnableTool[] = [...anthropic.runnableTools(toolset), anthropic.bashTool()];
export async function anthropicTurn(content: ContentBlock[]): Promise<MessageParam> {
  return { role: 'user', content: await anthropic.respond(toolset, content) };
}
export const options: Options = { mcpServers: { shell: anthropic.sdkMcpServer(toolset) } };

// LangChain
export const langchainAgent = createAgent({ model: 'any', tools: langchainTools(toolset) });

// MCP
declare const transport: Transport;
declare const transportV1: TransportV1;
export const server = createMcpServer(toolset);
void server.connect(transport);
void server.connect(transportV1);
registerTools(new McpServer({ name: 'any', version: '1' }), toolset);

// Mastra
export const mastraAgent = new MastraAgent({
  id: 'any',
  name: 'any',
  instructions: '',
  model: 'openai/any',
  tools: mastraTools(toolset),
});
