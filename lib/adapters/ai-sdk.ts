import type {
  CallContext,
  DialectOptions,
  ToolData,
  ToolDefinition,
  ToolResult,
  Toolset,
  ToolUpdate,
} from 'agent-bash/tools';
import { createTool } from 'agent-bash/tools';
import { object } from '../options/checks.ts';
import type {
  AiApprovalStatus,
  AiModelOutput,
  AiProviderTool,
  AiShellOutput,
  AiTool,
  AiToolCall,
  AiToolOptions,
  AiToolOutput,
  MastraTool,
} from './api/ai-sdk.ts';
import { shellArgs, shellOutput } from './openai-shell.ts';
import { LATE, PendingApprovals } from './support/approvals.ts';
import { schemaView } from './support/schema-view.ts';
import { requireSdk } from './support/sdk-version.ts';

/** The context of a call that the AI SDK and Mastra pass, with fields that their types do not have. */
type Call = AiToolCall & { messages?: ToolData[]; requestContext?: unknown };
type ToolApproval = (input: ToolData, call: { toolCallId: string }) => Promise<AiApprovalStatus>;

export { sandbox } from './ai-sandbox.ts';
export { mastraSandbox } from './mastra-sandbox.ts';

/** Pending approvals by tool: `needsApproval` and `toolApproval()` write them, `execute` takes them. */
const approvalsOf = new WeakMap<ToolDefinition, PendingApprovals>();

/** Converts a toolset for `tools` of `generateText()`, `streamText()` and agents. */
function aiTools(toolset: Toolset, options: AiToolOptions = {}): Record<string, AiTool> {
  return Object.fromEntries(toolset.tools.map((tool) => [tool.name, aiTool(tool, options)]));
}

/**
 * Converts a toolset for `tools` of Mastra's agents, which take the tools of the AI SDK; their types ask for
 * an id.
 */
function mastraTools(toolset: Toolset): Record<string, MastraTool> {
  return Object.fromEntries(
    toolset.tools.map((tool) => [tool.name, { ...converted(tool, {}), id: tool.name }]),
  );
}

/** Converts one tool. */
function aiTool(tool: ToolDefinition, options: AiToolOptions = {}): AiTool {
  // Older versions have another name for the schema, or take the first update of a command for its result.
  requireSdk('ai', '5.0.11', 'aiTools()');
  return converted(tool, options);
}

function converted(tool: ToolDefinition, options: AiToolOptions): AiTool {
  const { updates = true, approval = true } = object('options', options, ['updates', 'approval']);
  return {
    description: tool.description,
    inputSchema: schemaView(tool),
    execute: (input: ToolData, call: Call) =>
      updates && !isOfMastra(call) ? streamed(tool, input, call) : settled(tool, input, call),
    toModelOutput: modelOutput,
    ...(Boolean(approval) && {
      needsApproval: (input: ToolData, { toolCallId }: { toolCallId?: string }) =>
        needsApproval(tool, input, toolCallId),
    }),
  };
}

/**
 * Returns `toolApproval` of version 7 for each tool: `allow` of the host's `approve` is approved, `deny` is
 * denied with its reason, and `ask` asks the user. The call itself waits for an `approve` that takes long.
 */
function toolApproval(toolset: Toolset): Record<string, ToolApproval> {
  return Object.fromEntries(
    toolset.tools.map((tool) => [
      tool.name,
      (input: ToolData, { toolCallId }: { toolCallId: string }) => approvalStatus(tool, input, toolCallId),
    ]),
  );
}

async function approvalStatus(
  tool: ToolDefinition,
  input: unknown,
  toolCallId: string,
): Promise<AiApprovalStatus> {
  const { verdict, reason } = await approvals(tool).decide(tool, input, toolCallId);
  if (verdict === LATE) return { type: 'not-applicable' };
  const type = ({ allow: 'approved', deny: 'denied', ask: 'user-approval' } as const)[verdict];
  return reason === null ? { type } : { type, reason };
}

async function needsApproval(
  tool: ToolDefinition,
  input: unknown,
  toolCallId: string | undefined,
): Promise<boolean> {
  const { verdict } = await approvals(tool).decide(tool, input, toolCallId);
  return verdict === 'ask';
}

function approvals(tool: ToolDefinition): PendingApprovals {
  const known = approvalsOf.get(tool) ?? new PendingApprovals();
  approvalsOf.set(tool, known);
  return known;
}

/** Yields the latest output as preliminary results, and the result last. */
async function* streamed(tool: ToolDefinition, input: unknown, call: Call): AsyncGenerator<AiToolOutput> {
  for await (const update of tool.stream(input, await contextOf(tool, input, call))) {
    yield update.done && update.result ? outputOf(update.result) : runningOf(update);
  }
}

async function settled(tool: ToolDefinition, input: unknown, call: Call): Promise<AiToolOutput> {
  return outputOf(await tool.execute(input, await contextOf(tool, input, call)));
}

/**
 * Returns whether Mastra executes a call. It takes the tools of the AI SDK, but no preliminary results, and
 * its approval hook gets no id of the call.
 */
function isOfMastra(call: Partial<Call> | undefined): boolean {
  return call?.requestContext !== undefined;
}

async function contextOf(
  tool: ToolDefinition,
  input: unknown,
  call: Partial<Call> = {},
): Promise<CallContext> {
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
function isApprovedIn(messages: ToolData[] = [], callId: string | undefined): boolean {
  const parts: ToolData[] = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const isAsked = ({ type, toolCallId }: ToolData) =>
    type === 'tool-approval-request' && toolCallId === callId;
  const ids = new Set(parts.filter(isAsked).map(({ approvalId }) => approvalId));
  return parts.some(
    ({ type, approvalId, approved }) =>
      type === 'tool-approval-response' && ids.has(approvalId) && approved === true,
  );
}

/** Returns a result as plain JSON, since user interfaces serialize it. */
function outputOf({ text, isError, data }: ToolResult): AiToolOutput {
  return { text, isError, data };
}

function runningOf({ text }: ToolUpdate): AiToolOutput {
  return { text, isError: false, running: true };
}

/**
 * Converts an output for the model. The SDK passes `{ output }`; Mastra passes the output itself, as version
 * 5 of the SDK did.
 */
function modelOutput(given: { output?: AiToolOutput }): AiModelOutput {
  const { text, isError } = given.output ?? (given as AiToolOutput);
  return isError ? { type: 'error-text', value: text } : { type: 'text', value: text };
}

/**
 * Creates Anthropic's `bash_20250124`. Unlike the provider's helper, it accepts `{ restart: true }` without a
 * command.
 */
function anthropicBash(
  options?: DialectOptions['anthropic-bash'],
): AiProviderTool<AiToolOutput> & Pick<AiTool, 'toModelOutput'> {
  const tool = createTool('anthropic-bash', options);
  return providerTool('anthropic.bash_20250124', tool, {
    execute: (input: ToolData, call: Call) => settled(tool, input, call),
    toModelOutput: modelOutput,
  });
}

/** Creates OpenAI's `shell`. */
function openaiShell(options?: DialectOptions['openai-shell']): AiProviderTool<AiShellOutput> {
  const tool = createTool('openai-shell', options);
  return providerTool('openai.shell', tool, {
    execute: async (input: ToolData, call: Call) => {
      const args = shellArgs(input?.action);
      const { data } = await tool.execute(args, await contextOf(tool, args, call));
      return shellOutput(data);
    },
    needsApproval: (input: ToolData, { toolCallId }: { toolCallId: string }) =>
      needsApproval(tool, shellArgs(input?.action), toolCallId),
  });
}

/** Creates OpenAI's older `local_shell`. */
function openaiLocalShell(
  options?: DialectOptions['openai-local-shell'],
): AiProviderTool<{ output: string }> {
  const tool = createTool('openai-local-shell', options);
  return providerTool('openai.local_shell', tool, {
    execute: async (input: ToolData, call: Call) => {
      const args = localShellArgs(input?.action);
      const { text } = await tool.execute(args, await contextOf(tool, args, call));
      return { output: text };
    },
    needsApproval: (input: ToolData, { toolCallId }: { toolCallId: string }) =>
      needsApproval(tool, localShellArgs(input?.action), toolCallId),
  });
}

/** Creates a provider-defined tool. Version 6 ignores `isProviderExecuted`, version 7 requires it. */
function providerTool<Parts extends object>(
  id: `${string}.${string}`,
  tool: ToolDefinition & AsyncDisposable,
  parts: Parts,
): Omit<AiProviderTool<unknown>, 'execute'> & Parts {
  requireSdk('ai', '6.0.0', `The tool '${id}'`);
  return {
    type: 'provider' as const,
    id,
    args: {},
    isProviderExecuted: false as const,
    inputSchema: schemaView(tool),
    needsApproval: (input: ToolData, { toolCallId }: { toolCallId: string }) =>
      needsApproval(tool, input, toolCallId),
    ...parts,
    [Symbol.asyncDispose]: async () => tool[Symbol.asyncDispose](),
  };
}

function localShellArgs(action: ToolData): object {
  const { command, timeoutMs, user, workingDirectory, env } = action ?? {};
  return { command, timeout_ms: timeoutMs, user, working_directory: workingDirectory, env };
}

export { aiTool, aiTools, anthropicBash, mastraTools, openaiLocalShell, openaiShell, toolApproval };
