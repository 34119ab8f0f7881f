import { ToolMessage } from '@langchain/core/messages';
import { DynamicStructuredTool } from '@langchain/core/tools';
import { visibleText } from 'agent-bash';
import type {
  CallContext,
  ToolData,
  ToolDefinition,
  ToolResult,
  Toolset,
  ToolUpdate,
} from 'agent-bash/tools';
import { isRecord, object } from '../options/checks.ts';
import type { LangchainOptions } from './api/langchain.ts';
import type { ApprovalFields } from './support/approvals.ts';
import { approvalFields } from './support/approvals.ts';
import { requireSdk } from './support/sdk-version.ts';

type Ask = NonNullable<LangchainOptions['interrupt']>;

/** How the tools of a toolset answer and ask. */
interface AnswerSettings {
  errors: unknown;
  definition: object | undefined;
  ask: Ask | undefined;
}

/** Declarations that the provider packages bind in place of a function tool. */
const PROVIDER_TOOLS: Partial<Record<string, object>> = {
  'anthropic-bash': { type: 'bash_20250124', name: 'bash' },
  'openai-shell': { type: 'shell', environment: { type: 'local' } },
  'openai-local-shell': { type: 'local_shell' },
};

/**
 * Converts a toolset for LangChain and LangGraph.
 *
 * Instantiates the class, since a tool of `tool()` rejects on abort and loses the partial output.
 */
function langchainTools(toolset: Toolset, given: LangchainOptions = {}): DynamicStructuredTool[] {
  requireSdk('@langchain/core', '0.3.0', 'langchainTools()');
  const options = object('options', given, ['errors', 'providerTool', 'onAsk', 'interrupt']);
  const { errors = 'message', providerTool = false, onAsk = 'deny', interrupt } = options;
  oneOf('options.errors', errors, ['message', 'throw']);
  oneOf('options.onAsk', onAsk, ['deny', 'interrupt']);
  if (onAsk === 'interrupt' && typeof interrupt !== 'function') {
    throw invalid(
      "Invalid option 'options.interrupt': expected LangGraph's function of that name with onAsk: 'interrupt'",
    );
  }
  const definition = providerTool ? PROVIDER_TOOLS[toolset.dialect] : undefined;
  return toolset.tools.map((tool) =>
    langchainTool(tool, { errors, definition, ask: onAsk === 'interrupt' ? (interrupt as Ask) : undefined }),
  );
}

function langchainTool(
  tool: ToolDefinition,
  { errors, definition, ask }: AnswerSettings,
): DynamicStructuredTool {
  return new DynamicStructuredTool({
    name: tool.name,
    description: tool.description,
    schema: lenientSchema(tool),
    responseFormat: 'content_and_artifact',
    ...(definition && { extras: { providerToolDefinition: definition } }),
    async func(input: unknown, _manager: unknown, config: ToolData) {
      const callId = config?.toolCall?.id;
      const context = { signal: config?.signal, callId, onUpdate: updatesTo(config?.writer, tool, callId) };
      const approval = ask === undefined ? {} : await askPerson(tool, input, context, ask);
      const result = await tool.execute(input, { ...context, ...approval });
      return answerOf(tool, result, callId, errors);
    },
  });
}

/**
 * Returns a listener that writes the latest output to LangGraph's stream of the mode `custom`, if there is
 * one.
 */
function updatesTo(
  writer: unknown,
  { name }: ToolDefinition,
  callId: string | undefined,
): ((update: ToolUpdate) => void) | undefined {
  if (typeof writer !== 'function') return undefined;
  return ({ text, chunk, job }) => {
    // The stream of the call has ended with its answer.
    if (job === undefined) writer({ type: 'agent-bash', tool: name, callId, chunk, text });
  };
}

/**
 * Asks by `interrupt`, which throws the first time, and returns the user's answer when the graph is resumed.
 * The question has the form of LangChain's middleware for approvals too, so that user interfaces for that one
 * show it.
 */
async function askPerson(
  tool: ToolDefinition,
  input: unknown,
  context: CallContext,
  ask: Ask,
): Promise<ApprovalFields> {
  const { verdict, reason, command, token } = await tool.decide(input, context);
  if (verdict !== 'ask') return approvalFields(verdict === 'allow', reason, token);
  const { name } = tool;
  const description = visibleText(reason === null ? command : `${command}\n\n${reason}`);
  const answer: ToolData = decisionIn(
    ask({
      tool: name,
      command,
      reason,
      args: input,
      actionRequests: [{ name, args: input, description }],
      reviewConfigs: [{ actionName: name, allowedDecisions: ['approve', 'reject'] }],
    }),
  );
  const isGranted = answer === true || answer?.approved === true || answer?.type === 'approve';
  const why = answer?.reason ?? answer?.message ?? (answer?.type === 'edit' ? NOT_EDITED : reason);
  return approvalFields(isGranted, why, token);
}

const NOT_EDITED = 'the user wants another command, which only the model can call';

/**
 * Returns the decision in an answer, which the middleware's form has in a list: a question here is about one
 * call.
 */
function decisionIn(answer: unknown): unknown {
  const list = isRecord(answer) ? answer.decisions : undefined;
  return Array.isArray(list) && list.length === 1 ? list[0] : answer;
}

function answerOf(
  tool: ToolDefinition,
  { text, isError, data }: ToolResult,
  callId: string | undefined,
  errors: unknown,
): [content: unknown, artifact: unknown] {
  if (isError && errors === 'throw') throw new Error(text);
  if (!isError || callId === undefined) return [text, data];
  const message = new ToolMessage({
    status: 'error',
    content: text,
    artifact: data,
    tool_call_id: callId,
    name: tool.name,
  });
  return [message, data];
}

/**
 * Returns a schema that accepts every value: LangChain throws for invalid arguments, where the tool answers
 * them.
 *
 * LangChain validates by the JSON Schema keywords of the object, of which it has none. The model gets the
 * Standard Schema view, or the JSON serialization in versions without Standard Schema; both have all
 * keywords. They are not enumerable, since the validator walks through every enumerable property.
 */
function lenientSchema(tool: ToolDefinition): object {
  return Object.defineProperties(
    {},
    {
      '~standard': { value: { ...tool['~standard'], validate: (value: unknown) => ({ value }) } },
      toJSON: { value: () => tool.inputSchema },
    },
  );
}

function oneOf(name: string, value: unknown, choices: string[]): void {
  if (typeof value === 'string' && choices.includes(value)) return;
  throw invalid(`Invalid option '${name}': expected ${choices.map((choice) => `'${choice}'`).join(' or ')}`);
}

function invalid(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: 'ERR_INVALID_ARG_VALUE' });
}

export { langchainTools };
