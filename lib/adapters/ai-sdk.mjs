import { createTool } from 'agent-bash/tools';
import { object } from '../options/checks.mjs';
import { LATE, PendingApprovals } from './approvals.mjs';
import { schemaView } from './schema-view.mjs';

export { sandbox } from './ai-sandbox.mjs';

/** Pending approvals by tool: `needsApproval` and `toolApproval()` write them, `execute` takes them. */
const approvalsOf = new WeakMap();

/** Converts a toolset for `tools` of `generateText()`, `streamText()` and agents. */
function aiTools(toolset, options = {}) {
  return Object.fromEntries(toolset.tools.map((tool) => [tool.name, aiTool(tool, options)]));
}

/** Converts one tool. */
function aiTool(tool, options = {}) {
  const { updates = true, approval = true } = object('options', options, ['updates', 'approval']);
  return {
    description: tool.description,
    inputSchema: schemaView(tool),
    execute: updates ? streaming(tool) : settling(tool),
    toModelOutput: modelOutput,
    ...(approval && { needsApproval: (input, { toolCallId }) => needsApproval(tool, input, toolCallId) }),
  };
}

/**
 * Returns `toolApproval` of version 7 for each tool: `allow` of the host's `approve` is approved, `deny` is denied with its
 * reason, and `ask` asks the user. The call itself waits for an `approve` that takes long.
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
  const { verdict, reason } = await approvals(tool).decide(tool, input, { callId: toolCallId });
  if (verdict === LATE) return { type: 'not-applicable' };
  const type = { allow: 'approved', deny: 'denied', ask: 'user-approval' }[verdict];
  return reason === null ? { type } : { type, reason };
}

async function needsApproval(tool, input, toolCallId) {
  const { verdict } = await approvals(tool).decide(tool, input, { callId: toolCallId });
  return verdict === 'ask';
}

function approvals(tool) {
  const known = approvalsOf.get(tool) ?? new PendingApprovals();
  approvalsOf.set(tool, known);
  return known;
}

/** Yields the latest output as preliminary results, and the result last. */
function streaming(tool) {
  return async function* (input, options) {
    for await (const update of tool.stream(input, await contextOf(tool, options))) {
      yield update.done ? outputOf(update.result) : runningOf(update);
    }
  };
}

function settling(tool) {
  return async (input, options) => outputOf(await tool.execute(input, await contextOf(tool, options)));
}

async function contextOf(tool, { abortSignal, toolCallId } = {}) {
  // The SDK executes a call that needs an approval only after the user approved it.
  const approval = await approvals(tool).take(tool, toolCallId, true, abortSignal);
  return { signal: abortSignal, callId: toolCallId, ...approval };
}

/** Returns a result as plain JSON, since user interfaces serialize it. */
function outputOf({ text, isError, data }) {
  return { text, isError, data };
}

function runningOf({ text }) {
  return { text, isError: false, running: true };
}

/**
 * Converts an output for the model. The SDK passes `{ output }`; Mastra passes the output itself, as version 5 of the SDK did.
 */
function modelOutput(given) {
  const { text, isError } = given.output ?? given;
  return isError ? { type: 'error-text', value: text } : { type: 'text', value: text };
}

/** Creates Anthropic's `bash_20250124`. Unlike the provider's helper, it accepts `{ restart: true }` without a command. */
function anthropicBash(options) {
  const tool = createTool('anthropic-bash', options);
  return providerTool('anthropic.bash_20250124', tool, {
    execute: settling(tool),
    toModelOutput: modelOutput,
  });
}

/** Creates OpenAI's `shell`. */
function openaiShell(options) {
  const tool = createTool('openai-shell', options);
  return providerTool('openai.shell', tool, {
    execute: async (input, call) =>
      shellOutput(await tool.execute(shellArgs(input?.action), await contextOf(tool, call))),
    needsApproval: (input, { toolCallId }) => needsApproval(tool, shellArgs(input?.action), toolCallId),
  });
}

/** Creates OpenAI's older `local_shell`. */
function openaiLocalShell(options) {
  const tool = createTool('openai-local-shell', options);
  return providerTool('openai.local_shell', tool, {
    execute: async (input, call) => {
      const { text } = await tool.execute(localShellArgs(input?.action), await contextOf(tool, call));
      return { output: text };
    },
    needsApproval: (input, { toolCallId }) => needsApproval(tool, localShellArgs(input?.action), toolCallId),
  });
}

/** Creates a provider-defined tool. Version 6 ignores `isProviderExecuted`, version 7 requires it. */
function providerTool(id, tool, parts) {
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

function shellArgs(action) {
  const { commands, timeoutMs, maxOutputLength } = action ?? {};
  return { commands, timeout_ms: timeoutMs, max_output_length: maxOutputLength };
}

function localShellArgs(action) {
  const { command, timeoutMs, user, workingDirectory, env } = action ?? {};
  return { command, timeout_ms: timeoutMs, user, working_directory: workingDirectory, env };
}

function shellOutput({ data }) {
  const { output, max_output_length: maxOutputLength } = data;
  return {
    output: output.map(({ stdout, stderr, outcome }) => ({
      stdout,
      stderr,
      outcome: outcome.type === 'exit' ? { type: 'exit', exitCode: outcome.exit_code } : { type: 'timeout' },
    })),
    ...(typeof maxOutputLength === 'number' && { maxOutputLength }),
  };
}

export { aiTool, aiTools, anthropicBash, openaiLocalShell, openaiShell, toolApproval };
