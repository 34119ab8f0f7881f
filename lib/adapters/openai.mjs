import { AsyncLocalStorage } from 'node:async_hooks';
import { createTool, strictSchema } from 'agent-bash/tools';
import { isRecord, object } from '../options/checks.mjs';
import { PendingApprovals } from './approvals.mjs';

/** The signal of the current run: the Agents SDK passes none to `Shell.run`. */
const runSignal = new AsyncLocalStorage();

/** Calls `act`; every {@link shell} and function tool that runs within it ends its commands when `signal` fires. */
function withSignal(signal, act) {
  return runSignal.run(signal, act);
}

/** Creates a `Shell` for `shellTool({ shell })` of the Agents SDK. */
function shell({ signal, ...options } = {}) {
  const tool = createTool('openai-shell', options);
  return {
    async run({ commands, timeoutMs, maxOutputLength }) {
      const args = { commands, timeout_ms: timeoutMs, max_output_length: maxOutputLength };
      const { data } = await tool.execute(args, { signal: either(signal, runSignal.getStore()) });
      return agentsOutput(data);
    },
    [Symbol.asyncDispose]: () => tool[Symbol.asyncDispose](),
  };
}

function either(...signals) {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

function agentsOutput({ output, max_output_length: maxOutputLength }) {
  return {
    output: output.map(({ stdout, stderr, outcome }) => ({
      stdout,
      stderr,
      outcome: outcome.type === 'exit' ? { type: 'exit', exitCode: outcome.exit_code } : { type: 'timeout' },
    })),
    ...(typeof maxOutputLength === 'number' && { maxOutputLength }),
  };
}

/** Converts a toolset to function tools of the Agents SDK. */
function functionTools(toolset, options = {}) {
  const { strict = false } = object('options', options, ['strict']);
  const approvals = new PendingApprovals();
  return toolset.tools.map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: strict ? strictSchema(tool.inputSchema) : tool.inputSchema,
    strict,
    needsApproval: async (_context, input, callId) =>
      (await approvals.decide(tool, input, { callId })).verdict === 'ask',
    isEnabled: async () => true,
    async invoke(context, input, details) {
      const callId = details?.toolCall?.callId;
      const isApproved = context?.isToolApproved?.({ toolName: tool.name, callId }) === true;
      const signal = either(details?.signal, runSignal.getStore());
      const approval = await approvals.take(tool, callId, isApproved, signal);
      const { text } = await tool.execute(argumentsOf(input), { signal, callId, ...approval });
      return text;
    },
  }));
}

/** Converts a toolset for `tools` of `client.responses.create()`: built-in tools for their dialects, else functions. */
function responsesTools(toolset, options = {}) {
  const { strict = false } = object('options', options, ['strict']);
  if (toolset.dialect === 'openai-shell') return [{ type: 'shell', environment: { type: 'local' } }];
  if (toolset.dialect === 'openai-local-shell') return [{ type: 'local_shell' }];
  return toolset.tools.map((tool) => ({ type: 'function', ...functionOf(tool, strict) }));
}

/** Converts a toolset for `tools` of `client.chat.completions.create()`. */
function chatTools(toolset, options = {}) {
  const { strict = false } = object('options', options, ['strict']);
  return toolset.tools.map((tool) => ({ type: 'function', function: functionOf(tool, strict) }));
}

function functionOf({ name, description, inputSchema }, strict) {
  return { name, description, parameters: strict ? strictSchema(inputSchema) : inputSchema, strict };
}

/**
 * Runs the calls among the items of a response concurrently, and returns one output item for each, in order, also after an
 * abort. Skips calls of tools outside the toolset.
 */
async function respond(toolset, items, context = {}) {
  const answers = (items ?? [])
    .filter(isRecord)
    .map((item) => answerTo(toolset, item, context))
    .filter((answer) => answer !== undefined);
  return Promise.all(answers);
}

function answerTo(toolset, item, context) {
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
function isLocal({ environment }) {
  return environment?.type === undefined || environment.type === 'local';
}

async function answerShell({ tools: [tool] }, { call_id, action, caller }, context) {
  const { data } = await tool.execute(action, { ...context, callId: call_id });
  const { output, max_output_length } = data;
  return {
    type: 'shell_call_output',
    call_id,
    output: output.map(({ stdout, stderr, outcome }) => ({ stdout, stderr, outcome })),
    ...(typeof max_output_length === 'number' && { max_output_length }),
    // The API requires the caller of a programmatic call in its output.
    ...(caller && { caller }),
  };
}

/** Answers a `local_shell_call`. The types name the call in `id`, the documentation in `call_id`: sends both. */
async function answerLocalShell({ tools: [tool] }, { call_id, action }, context) {
  const { text } = await tool.execute(action, { ...context, callId: call_id });
  return { type: 'local_shell_call_output', id: call_id, call_id, output: text };
}

async function answerFunction(toolset, { name, call_id, arguments: input }, context) {
  const { text } = await toolset.call(name, argumentsOf(input), { ...context, callId: call_id });
  return { type: 'function_call_output', call_id, output: text };
}

/** Runs the tool calls of a chat completion concurrently, and returns one message for each, in order. */
async function respondChat(toolset, calls, context = {}) {
  // A message without calls has no `tool_calls`.
  const ours = (calls ?? []).filter(
    (call) => call?.type === 'function' && toolset.get(call.function?.name) !== undefined,
  );
  return Promise.all(
    ours.map(async ({ id, function: { name, arguments: input } }) => {
      const { text } = await toolset.call(name, argumentsOf(input), { ...context, callId: id });
      return { role: 'tool', tool_call_id: id, content: text };
    }),
  );
}

/** Parses the arguments of a call. Invalid JSON is passed on as text, so that the tool answers with its error. */
function argumentsOf(input) {
  if (typeof input !== 'string') return input;
  try {
    return input.trim() === '' ? {} : JSON.parse(input);
  } catch {
    return input;
  }
}

export { chatTools, functionTools, respond, respondChat, responsesTools, shell, withSignal };
