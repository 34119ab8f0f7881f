import { createTool } from 'agent-bash/tools';
import { object } from '../options/checks.ts';
import { shellArgs, shellOutput } from './openai-shell.mjs';
import { LATE, PendingApprovals } from './support/approvals.mjs';
import { schemaView } from './support/schema-view.mjs';
import { requireSdk } from './support/sdk-version.mjs';

export { sandbox } from './ai-sandbox.mjs';

/** Pending approvals by tool: `needsApproval` and `toolApproval()` write them, `execute` takes them. */
const approvalsOf = new WeakMap();

/** Converts a toolset for `tools` of `generateText()`, `streamText()` and agents. */
function aiTools(toolset, options = {}) {
  return Object.fromEntries(toolset.tools.map((tool) => [tool.name, aiTool(tool, options)]));
}

/**
 * Converts a toolset for `tools` of Mastra's agents, which take the tools of the AI SDK; their types ask for
 * an id.
 */
function mastraTools(toolset) {
  return Object.fromEntries(
    toolset.tools.map((tool) => [tool.name, { ...converted(tool, {}), id: tool.name }]),
  );
}

/** Converts one tool. */
function aiTool(tool, options = {}) {
  // Older versions have another name for the schema, or take the first update of a command for its result.
  requireSdk('ai', '5.0.11', 'aiTools()');
  return converted(tool, options);
}

function converted(tool, options) {
  const { updates = true, approval = true } = object('options', options, ['updates', 'approval']);
  return {
    description: tool.description,
    inputSchema: schemaView(tool),
    execute: (input, call) =>
      updates && !isOfMastra(call) ? streamed(tool, input, call) : settled(tool, input, call),
    toModelOutput: modelOutput,
    ...(approval && { needsApproval: (input, { toolCallId }) => needsApproval(tool, input, toolCallId) }),
  };
}

/**
 * Returns `toolApproval` of version 7 for each tool: `allow` of the host's `approve` is approved, `deny` is
 * denied with its reason, and `ask` asks the user. The call itself waits for an `approve` that takes long.
 */
function toolApproval(toolset) {
  return Object.fromEntries(
    toolset.tools.map((tool) => [
      tool.name,
      (input, { toolCallId }) => approvalStatus(tool, input, toolCallId),
    ]),
  );
}

async function approvalStatus(tool, input, toolCallId) {
  const { verdict, reason } = await approvals(tool).decide(tool, input, toolCallId);
  if (verdict === LATE) return { type: 'not-applicable' };
  const type = { allow: 'approved', deny: 'denied', ask: 'user-approval' }[verdict];
  return reason === null ? { type } : { type, reason };
}

async function needsApproval(tool, input, toolCallId) {
  const { verdict } = await approvals(tool).decide(tool, input, toolCallId);
  return verdict === 'ask';
}

function approvals(tool) {
  const known = approvalsOf.get(tool) ?? new PendingApprovals();
  approvalsOf.set(tool, known);
  return known;
}

/** Yields the latest output as preliminary results, and the result last. */
async function* streamed(tool, input, call) {
  for await (const update of tool.stream(input, await contextOf(tool, input, call))) {
    yield update.done ? outputOf(update.result) : runningOf(update);
  }
}

async function settled(tool, input, call) {
  return outputOf(await tool.execute(input, await contextOf(tool, input, call)));
}

/**
 * Returns whether Mastra executes a call. It takes the tools of the AI SDK, but no preliminary results, and
 * its approval hook gets no id of the call.
 */
function isOfMastra(call) {
  return call?.requestContext !== undefined;
}

async function contextOf(tool, input, call = {}) {
  const { abortSignal: signal, toolCallId: callId, messages } = call;
  const pending = approvals(tool);
  const isMastra = isOfMastra(call);
  const hookId = isMastra ? undefined : callId;
  // Mastra calls its hook also when it resumes a run, and executes a call after an `ask` only if the user
  // approved.
  const isApproved = isMastra ? pending.has(tool, input) : isApprovedIn(messages, callId);
  return { signal, callId, ...(await pending.take(tool, input, hookId, isApproved, signal)) };
}

/**
 * Returns whether the user approved a call, as the messages of the SDK tell it: also where another process
 * asked.
 */
function isApprovedIn(messages = [], callId) {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const isAsked = ({ type, toolCallId }) => type === 'tool-approval-request' && toolCallId === callId;
  const ids = new Set(parts.filter(isAsked).map(({ approvalId }) => approvalId));
  return parts.some(
    ({ type, approvalId, approved }) =>
      type === 'tool-approval-response' && ids.has(approvalId) && approved === true,
  );
}

/** Returns a result as plain JSON, since user interfaces serialize it. */
function outputOf({ text, isError, data }) {
  return { text, isError, data };
}

function runningOf({ text }) {
  return { text, isError: false, running: true };
}

/**
 * Converts an output for the model. The SDK passes `{ output }`; Mastra passes the output itself, as version
 * 5 of the SDK did.
 */
function modelOutput(given) {
  const { text, isError } = given.output ?? given;
  return isError ? { type: 'error-text', value: text } : { type: 'text', value: text };
}

/**
 * Creates Anthropic's `bash_20250124`. Unlike the provider's helper, it accepts `{ restart: true }` without a
 * command.
 */
function anthropicBash(options) {
  const tool = createTool('anthropic-bash', options);
  return providerTool('anthropic.bash_20250124', tool, {
    execute: (input, call) => settled(tool, input, call),
    toModelOutput: modelOutput,
  });
}

/** Creates OpenAI's `shell`. */
function openaiShell(options) {
  const tool = createTool('openai-shell', options);
  return providerTool('openai.shell', tool, {
    execute: async (input, call) => {
      const args = shellArgs(input?.action);
      const { data } = await tool.execute(args, await contextOf(tool, args, call));
      return shellOutput(data);
    },
    needsApproval: (input, { toolCallId }) => needsApproval(tool, shellArgs(input?.action), toolCallId),
  });
}

/** Creates OpenAI's older `local_shell`. */
function openaiLocalShell(options) {
  const tool = createTool('openai-local-shell', options);
  return providerTool('openai.local_shell', tool, {
    execute: async (input, call) => {
      const args = localShellArgs(input?.action);
      const { text } = await tool.execute(args, await contextOf(tool, args, call));
      return { output: text };
    },
    needsApproval: (input, { toolCallId }) => needsApproval(tool, localShellArgs(input?.action), toolCallId),
  });
}

/** Creates a provider-defined tool. Version 6 ignores `isProviderExecuted`, version 7 requires it. */
function providerTool(id, tool, parts) {
  requireSdk('ai', '6.0.0', `The tool '${id}'`);
  return {
    type: 'provider',
    id,
    args: {},
    isProviderExecuted: false,
    inputSchema: schemaView(tool),
    needsApproval: (input, { toolCallId }) => needsApproval(tool, input, toolCallId),
    ...parts,
    [Symbol.asyncDispose]: () => tool[Symbol.asyncDispose](),
  };
}

function localShellArgs(action) {
  const { command, timeoutMs, user, workingDirectory, env } = action ?? {};
  return { command, timeout_ms: timeoutMs, user, working_directory: workingDirectory, env };
}

export { aiTool, aiTools, anthropicBash, mastraTools, openaiLocalShell, openaiShell, toolApproval };
