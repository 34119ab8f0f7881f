import { createTool } from 'agent-bash/tools';
import { requireSdk } from './support/sdk-version.mjs';
import { toolError } from './support/tool-error.mjs';

export { sdkMcpServer } from './claude-agent.mjs';

/** Declaration of the tool that is built into the models: they know its description and schema. */
const BUILT_IN = { type: 'bash_20250124', name: 'bash' };

/** Creates Anthropic's bash tool for `toolRunner({ tools })`. */
function bashTool({ declare = 'builtin', ...options } = {}) {
  requireRunner('bashTool()');
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

/** Converts a toolset for `client.beta.messages.toolRunner({ tools })`. */
function runnableTools(toolset) {
  requireRunner('runnableTools()');
  return toolset.tools.map((tool) => runnable(tool, declarationOf(toolset, tool)));
}

/** Converts a toolset for `client.messages.create({ tools })`. */
function messageTools(toolset) {
  return toolset.tools.map((tool) => declarationOf(toolset, tool));
}

/** The runner of older versions was not tested. */
function requireRunner(what) {
  requireSdk('@anthropic-ai/sdk', '0.93.0', what);
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
async function respond(toolset, content, context = {}) {
  // A message of the user may have text in place of blocks.
  const blocks = Array.isArray(content) ? content : [];
  const calls = blocks.filter((block) => block?.type === 'tool_use' && toolset.get(block.name) !== undefined);
  return Promise.all(
    calls.map(async ({ id, name, input }) => {
      const { text, isError } = await toolset.call(name, input, { ...context, callId: id });
      return { type: 'tool_result', tool_use_id: id, content: text, ...(isError && { is_error: true }) };
    }),
  );
}

export { bashTool, messageTools, respond, runnableTools };
