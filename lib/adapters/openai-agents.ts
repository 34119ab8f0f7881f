import { AsyncLocalStorage } from 'node:async_hooks';
import type { DialectOptions, ToolData, ToolDefinition, Toolset } from 'agent-bash/tools';
import { createTool, strictSchema } from 'agent-bash/tools';
import { isRecord, object } from '../options/checks.ts';
import type { AgentsFunctionTool, AgentsShell, FunctionOptions } from './api/openai.ts';
import { shellArgs, shellOutput } from './openai-shell.ts';
import { PendingApprovals } from './support/approvals.ts';
import { parsedArguments } from './support/parsed-arguments.ts';

/** The properties that all functions of a toolset have. */
interface FunctionDefaults {
  strict: boolean;
  approvals: PendingApprovals;
  mayAsk: boolean;
}

type Run = (args: unknown, context?: ToolData, details?: ToolData) => Promise<string>;
type Sdk = Partial<typeof import('@openai/agents')>;

/** The signal of the current run: the Agents SDK passes none to `Shell.run`. */
const runSignal = new AsyncLocalStorage<AbortSignal | undefined>();

/**
 * Calls `act`; every {@link shell} and function tool that runs within it ends its commands when `signal`
 * fires.
 */
function withSignal<Result>(signal: AbortSignal | undefined, act: () => Result): Result {
  return runSignal.run(signal, act);
}

/** Creates a `Shell` for `shellTool({ shell })` of the Agents SDK. */
function shell({
  signal,
  ...options
}: DialectOptions['openai-shell'] & { signal?: AbortSignal | undefined } = {}): AgentsShell {
  const tool = createTool('openai-shell', options);
  return {
    async run(action: ToolData) {
      const signals = { signal: either(signal, runSignal.getStore()) };
      const { data } = await tool.execute(shellArgs(action), signals);
      return shellOutput(data);
    },
    [Symbol.asyncDispose]: () => tool[Symbol.asyncDispose](),
  };
}

function either(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

/** Converts a toolset to function tools of the Agents SDK. */
function functionTools(toolset: Toolset, options: FunctionOptions = {}): AgentsFunctionTool[] {
  const { strict } = object('options', options, ['strict']);
  const approvals = new PendingApprovals();
  return toolset.tools.map((tool) =>
    functionTool(tool, { strict: Boolean(strict), approvals, mayAsk: toolset.mayAsk }),
  );
}

function functionTool(
  tool: ToolDefinition,
  { strict, approvals, mayAsk }: FunctionDefaults,
): AgentsFunctionTool {
  const run: Run = async (args, context, details) => {
    const callId = details?.toolCall?.callId;
    const isApproved = context?.isToolApproved?.({ toolName: tool.name, callId }) === true;
    const signal = either(details?.signal, runSignal.getStore());
    const approval = await approvals.take(tool, args, callId, isApproved, signal);
    const { text } = await tool.execute(args, { signal, callId, ...approval });
    return text;
  };
  let sdkFunctions: Promise<object> | undefined;
  const own: AgentsFunctionTool = {
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: strict ? strictSchema(tool.inputSchema) : tool.inputSchema,
    strict,
    needsApproval: async (_context, args, callId) =>
      (await approvals.decide(tool, args, callId)).verdict === 'ask',
    async isEnabled() {
      sdkFunctions ??= functionsOfSdk(tool.name, run, mayAsk ? own.needsApproval : false);
      Object.assign(own, await sdkFunctions);
      return true;
    },
    invoke: (context, input, details) => run(parsedArguments(input), context, details),
  };
  return own;
}

/** A schema of the SDK's that takes every object, and makes one of other arguments. */
const ANY_OBJECT = {
  '~standard': {
    version: 1,
    vendor: 'agent-bash',
    validate: (value: unknown) => ({ value: recordOf(value) }),
    jsonSchema: { input: emptyObject, output: emptyObject },
  },
};

function emptyObject(): object {
  return { type: 'object', properties: {}, required: [], additionalProperties: false };
}

/**
 * Returns the functions of a tool that the SDK itself has made; none without the SDK.
 *
 * The SDK asks the user about every call with arguments that are no object, unless its own `tool()` made
 * these functions. Even then it asks about text that is no JSON, where `needsApproval` is a function.
 */
async function functionsOfSdk(name: string, run: Run, needsApproval: unknown): Promise<object> {
  const { tool: define } = await agentsSdk();
  if (define === undefined) return {};
  const own = { name, description: '', parameters: ANY_OBJECT, strict: true, execute: run, needsApproval };
  const made = define(own);
  return { invoke: made.invoke, needsApproval: made.needsApproval };
}

/** The import of the SDK, which the tools of its agents need, and no others. */
let loading: Promise<Sdk> | undefined;

function agentsSdk(): Promise<Sdk> {
  loading ??= import('@openai/agents').catch((): Sdk => ({}));
  return loading;
}

/** Returns arguments as an object. Some models encode them twice. */
function recordOf(given: unknown): Record<string, unknown> {
  const value = parsedArguments(given);
  return isRecord(value) ? value : {};
}

export { functionTools, shell, withSignal };
