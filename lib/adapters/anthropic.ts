import type { CallContext, DialectOptions, ToolData, ToolDefinition, Toolset } from 'agent-bash/tools';
import { createTool } from 'agent-bash/tools';
import type { MessageTool, RunnableTool, ToolResultBlock } from './api/anthropic.ts';
import { requireSdk } from './support/sdk-version.ts';
import { toolError } from './support/tool-error.ts';

export { sdkMcpServer } from './claude-agent.ts';

/** Declaration of the tool that is built into the models: they know its description and schema. */
const BUILT_IN: MessageTool = { type: 'bash_20250124', name: 'bash' };

/** Creates Anthropic's bash tool for `toolRunner({ tools })`. */
function bashTool({
  declare = 'builtin',
  ...options
}: DialectOptions['anthropic-bash'] & { declare?: 'builtin' | 'custom' | undefined } = {}): RunnableTool &
  AsyncDisposable & { close: () => Promise<void> } {
  requireRunner('bashTool()');
  if (declare !== 'builtin' && declare !== 'custom') {
    throw Object.assign(new TypeError("Invalid option 'options.declare': expected 'builtin' or 'custom'"), {
      code: 'ERR_INVALID_ARG_VALUE',
    });
  }
  const tool = createTool('anthropic-bash', options);
  return {
    ...runnable(tool, declare === 'builtin' ? BUILT_IN : customOf(tool)),
    close: async () => tool[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => tool[Symbol.asyncDispose](),
  };
}

/** Converts a toolset for `client.beta.messages.toolRunner({ tools })`. */
function runnableTools(toolset: Toolset): RunnableTool[] {
  requireRunner('runnableTools()');
  return toolset.tools.map((tool) => runnable(tool, declarationOf(toolset, tool)));
}

/** Converts a toolset for `client.messages.create({ tools })`. */
function messageTools(toolset: Toolset): MessageTool[] {
  return toolset.tools.map((tool) => declarationOf(toolset, tool));
}

/** The runner of older versions was not tested. */
function requireRunner(what: string): void {
  requireSdk('@anthropic-ai/sdk', '0.93.0', what);
}

function declarationOf(toolset: Toolset, tool: ToolDefinition): MessageTool {
  return toolset.dialect === 'anthropic-bash' ? BUILT_IN : customOf(tool);
}

function customOf({ name, description, inputSchema }: ToolDefinition): MessageTool {
  return { name, description, input_schema: inputSchema as { type: 'object' } };
}

function runnable(tool: ToolDefinition, declaration: MessageTool): RunnableTool {
  return {
    ...declaration,
    parse: (input: unknown) => input,
    async run(args: ToolData, { toolUse, toolUseBlock, signal }: ToolData = {}) {
      const context = { signal: signal ?? undefined, callId: (toolUse ?? toolUseBlock)?.id };
      const { text, isError } = await tool.execute(args, context);
      // The runner marks a result as an error only if `run` throws.
      if (isError) throw await toolError(text);
      return text;
    },
  };
}

/**
 * Runs the tool calls in the content of a message concurrently, and returns one `tool_result` block for each,
 * in order, never with empty content. Skips calls of tools outside the toolset.
 */
async function respond(
  toolset: Toolset,
  content: unknown,
  context: CallContext = {},
): Promise<ToolResultBlock[]> {
  // A message of the user may have text in place of blocks.
  const blocks: ToolData[] = Array.isArray(content) ? content : [];
  const calls = blocks.filter((block) => block?.type === 'tool_use' && toolset.get(block.name) !== undefined);
  return Promise.all(
    calls.map(async ({ id, name, input }) => {
      const { text, isError } = await toolset.call(name, input, { ...context, callId: id });
      return {
        type: 'tool_result' as const,
        tool_use_id: id,
        content: text,
        ...(isError && { is_error: true as const }),
      };
    }),
  );
}

export { bashTool, messageTools, respond, runnableTools };
