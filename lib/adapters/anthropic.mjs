import { createTool } from 'agent-bash/tools';
import { toolError } from './tool-error.mjs';

export { sdkMcpServer } from './claude-agent.mjs';

/** What a tool that is built into the model is declared by; it has no description and no schema of ours. */
const BUILT_IN = { type: 'bash_20250124', name: 'bash' };

/** Anthropic's bash tool for `toolRunner({ tools })`: built into the model, or with a description and a schema. */
function bashTool({ declare = 'builtin', ...options } = {}) {
  if (declare !== 'builtin' && declare !== 'custom') {
    throw Object.assign(new TypeError("Invalid option 'options.declare': expected 'builtin' or 'custom'"), {
      code: 'ERR_INVALID_ARG_VALUE',
    });
  }
  const tool = createTool('anthropic-bash', options);
  return {
    ...runnable(tool, declare === 'builtin' ? BUILT_IN : customOf(tool)),
    close: () => tool[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => tool[Symbol.asyncDispose](),
  };
}

/** The tools of a toolset for `client.beta.messages.toolRunner({ tools })`. */
function runnableTools(toolset) {
  return toolset.tools.map((tool) => runnable(tool, declarationOf(toolset, tool)));
}

/** The tools of a toolset for `client.messages.create({ tools })`. */
function messageTools(toolset) {
  return toolset.tools.map((tool) => declarationOf(toolset, tool));
}

function declarationOf(toolset, tool) {
  return toolset.dialect === 'anthropic-bash' ? BUILT_IN : customOf(tool);
}

function customOf({ name, description, inputSchema }) {
  return { name, description, input_schema: inputSchema };
}

function runnable(tool, declaration) {
  return {
    ...declaration,
    parse: (input) => input,
    async run(args, { toolUse, toolUseBlock, signal } = {}) {
      const context = { signal: signal ?? undefined, callId: (toolUse ?? toolUseBlock)?.id };
      const { text, isError } = await tool.execute(args, context);
      // The runner knows an error result by a throw.
      if (isError) throw await toolError(text);
      return text;
    },
  };
}

/**
 * Runs the tool calls in the content of a message, all at the same time, and returns the blocks that answer them: one for
 * each, in their order, never with empty content. Calls of other tools are left to the caller.
 */
async function respond(toolset, content, context = {}) {
  const calls = content.filter((block) => block.type === 'tool_use' && toolset.get(block.name) !== undefined);
  return Promise.all(
    calls.map(async ({ id, name, input }) => {
      const { text, isError } = await toolset.call(name, input, { ...context, callId: id });
      return { type: 'tool_result', tool_use_id: id, content: text, ...(isError && { is_error: true }) };
    }),
  );
}

export { bashTool, messageTools, respond, runnableTools };
