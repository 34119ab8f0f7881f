import type { CallContext, ToolData, ToolDefinition, Toolset } from 'agent-bash/tools';
import { strictSchema } from 'agent-bash/tools';
import { isRecord, object } from '../options/checks.ts';
import type { ChatAnswer, ChatTool, FunctionOptions, ResponseAnswer, ResponsesTool } from './api/openai.ts';
import { parsedArguments } from './support/parsed-arguments.ts';

type Declaration = ChatTool['function'];

export { agentsSandbox } from './agents-sandbox.ts';
export { functionTools, shell, withSignal } from './openai-agents.ts';

/**
 * Converts a toolset for `tools` of `client.responses.create()`: built-in tools for their dialects, else
 * functions.
 */
function responsesTools(toolset: Toolset, options: FunctionOptions = {}): ResponsesTool[] {
  const { strict = false } = object('options', options, ['strict']);
  if (toolset.dialect === 'openai-shell') return [{ type: 'shell', environment: { type: 'local' } }];
  if (toolset.dialect === 'openai-local-shell') return [{ type: 'local_shell' }];
  return toolset.tools.map((tool) => ({ type: 'function', ...functionOf(tool, strict) }));
}

/** Converts a toolset for `tools` of `client.chat.completions.create()`. */
function chatTools(toolset: Toolset, options: FunctionOptions = {}): ChatTool[] {
  const { strict = false } = object('options', options, ['strict']);
  return toolset.tools.map((tool) => ({ type: 'function', function: functionOf(tool, strict) }));
}

function functionOf({ name, description, inputSchema }: ToolDefinition, isStrict: unknown): Declaration {
  const strict = Boolean(isStrict);
  return { name, description, parameters: strict ? strictSchema(inputSchema) : inputSchema, strict };
}

/**
 * Runs the calls among the items of a response concurrently, and returns one output item for each, in order,
 * also after an abort. Skips calls of tools outside the toolset.
 */
async function respond(
  toolset: Toolset,
  items: readonly unknown[] | null | undefined,
  context: CallContext = {},
): Promise<ResponseAnswer[]> {
  const answers = (items ?? [])
    .filter(isRecord)
    .map((item) => answerTo(toolset, item, context))
    .filter((answer) => answer !== undefined);
  return Promise.all(answers);
}

function answerTo(
  toolset: Toolset,
  item: ToolData,
  context: CallContext,
): Promise<ResponseAnswer> | undefined {
  if (item.type === 'shell_call' && toolset.dialect === 'openai-shell') {
    return isLocal(item) ? answerShell(toolset, item, context) : undefined;
  }
  if (item.type === 'local_shell_call' && toolset.dialect === 'openai-local-shell') {
    return answerLocalShell(toolset, item, context);
  }
  if (item.type === 'function_call' && toolset.get(item.name) !== undefined) {
    return answerFunction(toolset, item, context);
  }
  return undefined;
}

/** Returns whether the client runs the commands: OpenAI runs those of container environments. */
function isLocal({ environment }: ToolData): boolean {
  return environment?.type === undefined || environment.type === 'local';
}

async function answerShell(
  { tools: [tool] }: Toolset,
  { call_id, action, caller }: ToolData,
  context: CallContext,
): Promise<ResponseAnswer> {
  const { data } = await tool.execute(action, { ...context, callId: call_id });
  const { output, max_output_length } = data;
  return {
    type: 'shell_call_output',
    call_id,
    output: output.map(({ stdout, stderr, outcome }: ToolData) => ({ stdout, stderr, outcome })),
    ...(typeof max_output_length === 'number' && { max_output_length }),
    // The API requires the caller of a programmatic call in its output.
    ...(caller && { caller }),
  };
}

/**
 * Answers a `local_shell_call`. The types name the call in `id`, the documentation in `call_id`: sends both.
 */
async function answerLocalShell(
  { tools: [tool] }: Toolset,
  { call_id, action }: ToolData,
  context: CallContext,
): Promise<ResponseAnswer> {
  const { text } = await tool.execute(action, { ...context, callId: call_id });
  return { type: 'local_shell_call_output', id: call_id, call_id, output: text };
}

async function answerFunction(
  toolset: Toolset,
  { name, call_id, arguments: input }: ToolData,
  context: CallContext,
): Promise<ResponseAnswer> {
  const { text } = await toolset.call(name, parsedArguments(input), { ...context, callId: call_id });
  return { type: 'function_call_output', call_id, output: text };
}

/** Runs the tool calls of a chat completion concurrently, and returns one message for each, in order. */
async function respondChat(
  toolset: Toolset,
  calls: readonly ToolData[] | null | undefined,
  context: CallContext = {},
): Promise<ChatAnswer[]> {
  // A message without calls has no `tool_calls`.
  const ours = (calls ?? []).filter(
    (call) => call?.type === 'function' && toolset.get(call.function?.name) !== undefined,
  );
  return Promise.all(
    ours.map(async ({ id, function: { name, arguments: input } }) => {
      const { text } = await toolset.call(name, parsedArguments(input), { ...context, callId: id });
      return { role: 'tool' as const, tool_call_id: id, content: text };
    }),
  );
}

export { chatTools, respond, respondChat, responsesTools };
